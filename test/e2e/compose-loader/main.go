// Loads compose files as Docker Compose does, with the module that Docker Compose uses, and prints the project as JSON.
//
//	compose-loader [--profile NAME]... FILE...
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	var files, profiles []string
	for arguments := os.Args[1:]; len(arguments) > 0; arguments = arguments[1:] {
		if arguments[0] == "--profile" && len(arguments) > 1 {
			profiles = append(profiles, arguments[1])
			arguments = arguments[1:]
			continue
		}
		files = append(files, arguments[0])
	}
	project, err := load(files, profiles)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(string(project))
}

func load(files, profiles []string) ([]byte, error) {
	options, err := cli.NewProjectOptions(files,
		cli.WithOsEnv, cli.WithEnvFiles(), cli.WithDotEnv, cli.WithName("loaded"), cli.WithProfiles(profiles))
	if err != nil {
		return nil, err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return nil, err
	}
	return project.MarshalJSON()
}
