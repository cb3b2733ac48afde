// Trades with the client that oapi-codegen makes of the OpenAPI document.
//
// usage: oapi <base URL> <API key>
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"generatedclients/oapi/api"
)

const magic, largest = int64(20260001), int64(9007199254740991)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func check(holds bool, what string, values ...any) {
	if !holds {
		panic(fmt.Sprint(what, ": ", fmt.Sprint(values...)))
	}
}

func main() {
	ctx, key := context.Background(), os.Args[2]
	authorize := api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	})
	client := must(api.NewClientWithResponses(os.Args[1], authorize))
	keys := 0
	next := func() *string {
		keys++
		key := fmt.Sprintf("oapi-%d", keys)
		return &key
	}
	place := func(magic int64, key *string) *api.OrderResponse {
		order := api.OrderRequest{Symbol: "EURUSD", Volume: 0.1, Type: api.OrderRequestTypeBUY, Magic: &magic}
		answer := must(client.PlaceOrderWithResponse(ctx, &api.PlaceOrderParams{IdempotencyKey: key}, order))
		check(answer.JSON200 != nil, "order", string(answer.Body))
		return answer.JSON200
	}
	positions := func(params api.ListPositionsParams) []api.PositionRow {
		return must(client.ListPositionsWithResponse(ctx, &params)).JSON200.Data
	}

	for _, magic := range []int64{magic, largest} {
		key := next()
		opened := place(magic, key)
		check(*opened.State == api.OrderResponseStateExecuted, "state", *opened.State)
		check(*place(magic, key).Position == *opened.Position, "the replay has the position of the first answer")
		rows := positions(api.ListPositionsParams{Magic: &magic})
		check(len(rows) == 1 && rows[0].Magic == magic && rows[0].Ticket == *opened.Position, "position", rows)
	}
	check(len(positions(api.ListPositionsParams{})) == 2, "positions without a filter")

	position := positions(api.ListPositionsParams{Magic: new(magic)})[0].Ticket
	part := api.ClosePartialRequest{Ticket: &position, Volume: 0.04}
	closed := must(client.ClosePositionPartialWithResponse(ctx, &api.ClosePositionPartialParams{IdempotencyKey: next()}, part))
	check(closed.JSON200 != nil && *closed.JSON200.RemainingVolume == 0.06, "partial close", string(closed.Body))
	level := 0.5
	levels := api.ModifyLevelsRequest{Ticket: &position, Sl: &level}
	changed := must(client.ModifyPositionWithResponse(ctx, &api.ModifyPositionParams{IdempotencyKey: next()}, levels))
	check(changed.JSON200 != nil && *changed.JSON200.Sl == level, "levels", string(changed.Body))

	closeAll := func(magic int64) int64 {
		all := api.CloseAllRequest{Magic: &magic}
		answer := must(client.CloseAllPositionsWithResponse(ctx, &api.CloseAllPositionsParams{IdempotencyKey: next()}, all))
		check(answer.JSON200 != nil, "close all", string(answer.Body))
		return answer.JSON200.Result.Closed
	}
	check(closeAll(magic-1) == 0 && closeAll(magic) == 1 && closeAll(largest) == 1, "positions closed by magic")
	missing := must(client.ClosePositionWithResponse(ctx, &api.ClosePositionParams{IdempotencyKey: next()}, api.ClosePositionRequest{Ticket: &position}))
	check(missing.JSON404 != nil || missing.JSON200 != nil && *missing.JSON200.AlreadyClosed, "a closed position", string(missing.Body))
	fmt.Println("traded")
}
