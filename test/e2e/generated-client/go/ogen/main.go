// Trades with the client that ogen makes of the OpenAPI document.
//
// usage: ogen <base URL> <API key>
package main

import (
	"context"
	"fmt"
	"os"

	"generatedclients/ogen/api"
)

const magic, largest = int64(20260001), int64(9007199254740991)

type key string

func (k key) Bearer(context.Context, api.OperationName) (api.Bearer, error) {
	return api.Bearer{Token: string(k)}, nil
}

func check(holds bool, what string, values ...any) {
	if !holds {
		panic(fmt.Sprint(what, ": ", fmt.Sprint(values...)))
	}
}

// success is the answer of an operation, which must be that of its success.
func success[T any](answer any, err error) T {
	check(err == nil, "the answer", err)
	value, ok := answer.(T)
	check(ok, "the answer", fmt.Sprintf("%#v", answer))
	return value
}

func main() {
	ctx := context.Background()
	client, err := api.NewClient(os.Args[1], key(os.Args[2]))
	check(err == nil, "the client", err)
	keys := 0
	next := func() api.OptString {
		keys++
		return api.NewOptString(fmt.Sprintf("ogen-%d", keys))
	}
	place := func(magic int64, key api.OptString) *api.OrderResponse {
		order := &api.OrderRequest{Symbol: "EURUSD", Volume: 0.1, Type: api.OrderRequestTypeBUY, Magic: api.NewOptInt64(magic)}
		return success[*api.OrderResponse](client.PlaceOrder(ctx, order, api.PlaceOrderParams{IdempotencyKey: key}))
	}
	positions := func(params api.ListPositionsParams) []api.PositionRow {
		return success[*api.PositionsResponse](client.ListPositions(ctx, params)).Data
	}

	for _, magic := range []int64{magic, largest} {
		key := next()
		opened := place(magic, key)
		check(opened.State.Value == api.OrderResponseStateExecuted, "state", opened.State)
		check(place(magic, key).Position == opened.Position, "the replay has the position of the first answer")
		rows := positions(api.ListPositionsParams{Magic: api.NewOptInt64(magic)})
		check(len(rows) == 1 && rows[0].Magic == magic && rows[0].Ticket == opened.Position.Value, "position", rows)
	}
	check(len(positions(api.ListPositionsParams{})) == 2, "positions without a filter")

	position := positions(api.ListPositionsParams{Magic: api.NewOptInt64(magic)})[0].Ticket
	part := &api.ClosePartialRequest{Ticket: api.NewOptInt64(position), Volume: 0.04}
	closed := success[*api.PositionClosedResponse](client.ClosePositionPartial(ctx, part, api.ClosePositionPartialParams{IdempotencyKey: next()}))
	check(closed.RemainingVolume.Value == 0.06, "partial close", closed)
	closeAll := func(magic int64) int64 {
		all := api.NewOptCloseAllRequest(api.CloseAllRequest{Magic: api.NewOptInt64(magic)})
		answer := success[*api.CloseAllPositionsOK](client.CloseAllPositions(ctx, all, api.CloseAllPositionsParams{IdempotencyKey: next()}))
		return api.CloseAllResponse(*answer).Result.Value.Closed
	}
	check(closeAll(magic-1) == 0 && closeAll(magic) == 1 && closeAll(largest) == 1, "positions closed by magic")
	fmt.Println("traded")
}
