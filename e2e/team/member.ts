import { setTimeout } from 'node:timers/promises'
import { makeHome, type TestHome } from '../command.ts'
import { type Daemon, startDaemon } from '../daemon.ts'

/** A process that can be killed at any time and restarted on the same home. */
export interface Member {
  readonly name: string
  readonly home: TestHome
  /** Returns the running daemon; undefined while it is down. */
  readonly daemon: () => Daemon | undefined
  /** Retries a failed start for a while, like a service manager. */
  readonly start: () => Promise<void>
  readonly kill: () => Promise<void>
  /** The output of processes that ended without being killed. */
  readonly deaths: () => readonly string[]
}

const AGAIN_MS = 500
const PATIENCE_MS = 300_000

export async function makeMember(name: string, args: readonly string[] = []): Promise<Member> {
  const home = await makeHome()
  let running: Daemon | undefined
  const deaths: string[] = []
  const note = () => {
    if (running !== undefined && !isThere(running.pid)) deaths.push(`${name} ended: ${running.log()}`)
  }
  return {
    name,
    home,
    daemon: () => running,
    start: async () => {
      for (const end = performance.now() + PATIENCE_MS; running === undefined; await setTimeout(AGAIN_MS))
        try {
          running = await startDaemon({ home, args })
          return
        } catch (error) {
          if (performance.now() > end) throw error
        }
    },
    kill: async () => {
      note()
      const ended = running
      running = undefined
      await ended?.kill()
    },
    deaths: () => {
      note()
      return deaths
    },
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
