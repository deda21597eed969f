import { execFile } from 'node:child_process'

export interface Ran {
  readonly code: number | null
  readonly output: string
}

/** Runs a program to its end, or to the time limit; never throws. */
export function run(
  program: string,
  args: readonly string[],
  options: { readonly seconds: number; readonly env?: NodeJS.ProcessEnv; readonly cwd?: string },
): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>()
  const child = execFile(
    program,
    args,
    {
      timeout: options.seconds * 1000,
      env: options.env ?? process.env,
      cwd: options.cwd,
      maxBuffer: 64 * 1024 * 1024,
    },
    (_error, stdout, stderr) => resolve({ code: child.exitCode, output: `${stdout}${stderr}` }),
  )
  return promise
}

/** Returns the last line of a program's output, which usually says why it failed. */
export const lastLine = (output: string): string => output.trim().split('\n').at(-1) ?? ''
