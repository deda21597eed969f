import { afterEach, beforeEach } from 'vitest'
import { type Ended, makeHome, runCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'

export interface Typed {
  readonly home: () => TestHome
  readonly run: (...args: string[]) => Promise<Ended>
  /** What a command answers with `--json`, with its exit code unless it says a code of its own. */
  readonly json: (...args: string[]) => Promise<Readonly<Record<string, unknown>>>
  /** A daemon on this home, stopped after the test. */
  readonly start: () => Promise<Daemon>
  readonly stopAfterwards: (...daemons: readonly Daemon[]) => void
}

/** An empty home for each test of a file, and what is typed there. */
export function useHome(): Typed {
  let home: TestHome
  const daemons: Daemon[] = []
  beforeEach(async () => {
    home = await makeHome()
  })
  afterEach(async () => {
    for (const daemon of daemons.splice(0)) await daemon.stop()
    await home.remove()
  })
  return {
    home: () => home,
    run: (...args) => runCommand(home, args),
    json: async (...args) => {
      const { code, stdout } = await runCommand(home, [...args, '--json'])
      const document: Record<string, unknown> = JSON.parse(stdout)
      return { code, ...document }
    },
    start: async () => {
      const daemon = await startDaemon({ home })
      daemons.push(daemon)
      return daemon
    },
    stopAfterwards: (...more) => void daemons.push(...more),
  }
}
