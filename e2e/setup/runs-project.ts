/** Tells whether this is Vitest and its command line selects a project. Other programs read Vitest's configuration too. */
export function runsProject(name: string, args: readonly string[] = process.argv): boolean {
  const selected = args.flatMap((arg, n) =>
    arg.startsWith('--project=')
      ? [arg.slice('--project='.length)]
      : args[n - 1] === '--project'
        ? [arg]
        : [],
  )
  return process.env.VITEST !== undefined && (selected.length === 0 || selected.includes(name))
}
