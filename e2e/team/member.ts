import { makeHome, type TestHome } from '../command.ts'
import { type Daemon, startDaemon } from '../daemon.ts'

/** A process that can be killed at any time, and started again on the same home. */
export interface Member {
  readonly name: string
  readonly home: TestHome
  /** Nothing while it is down. */
  readonly daemon: () => Daemon | undefined
  readonly start: () => Promise<void>
  readonly kill: () => Promise<void>
}

export async function makeMember(name: string, args: readonly string[] = []): Promise<Member> {
  const home = await makeHome()
  let running: Daemon | undefined
  return {
    name,
    home,
    daemon: () => running,
    start: async () => {
      running ??= await startDaemon({ home, args })
    },
    kill: async () => {
      const ended = running
      running = undefined
      await ended?.kill()
    },
  }
}
