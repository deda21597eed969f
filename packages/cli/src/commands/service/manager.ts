import { execFile } from 'node:child_process'
import { CommandFailure } from '../../failure.ts'

const SECONDS = 30

export interface Told {
  /** null where the program is not there. */
  readonly code: number | null
  readonly output: string
}

/** Asks the system's manager of services; never throws. */
export function tell(manager: string, args: readonly string[]): Promise<Told> {
  const { promise, resolve } = Promise.withResolvers<Told>()
  const child = execFile(manager, args, { timeout: SECONDS * 1_000 }, (error, stdout, stderr) => {
    const absent = error !== null && 'code' in error && error.code === 'ENOENT'
    resolve({ code: absent ? null : (child.exitCode ?? 1), output: `${stdout}${stderr}`.trim() })
  })
  return promise
}

/** Each in turn; the first that fails ends it, in the manager's own words. */
export async function tellAll(manager: string, commands: readonly (readonly string[])[]): Promise<void> {
  for (const args of commands) {
    const { code, output } = await tell(manager, args)
    if (code === 0) continue
    const typed = `${manager} ${args.join(' ')}`
    if (code === null) {
      throw new CommandFailure(`${manager} is not there, so the service cannot be started from here`, {
        code: 'no_manager',
        next: 'The file is written. Start Panoptes yourself with: panoptes up --detach',
      })
    }
    throw new CommandFailure(`${typed} failed: ${output.split('\n').at(-1) ?? ''}`, {
      code: 'manager_failed',
      next: `The file is written. Try it yourself: ${typed}`,
    })
  }
}
