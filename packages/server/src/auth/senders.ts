import type { Team } from '@panoptes/engine/store'
import type { Caller } from '../authenticate.ts'

/** Records which computer sends with which token: when that changes, otherwise once a minute. */
export interface Senders {
  readonly record: (caller: Caller | undefined, host: string) => void
}

const EACH_MS = 60_000
const MOST = 10_000

export function createSenders(team: Pick<Team, 'sawHost'>, now = () => performance.now()): Senders {
  const last = new Map<string, { readonly host: string; readonly at: number }>()
  return {
    record: (caller, host) => {
      const id = caller?.identity?.token_id
      if (id == null) return
      const before = last.get(id)
      if (before?.host === host && now() - before.at < EACH_MS) return
      last.delete(id)
      last.set(id, { host, at: now() })
      if (last.size > MOST) last.delete(last.keys().next().value as string)
      // The request does not wait for the write; the next batch tries again after a failure.
      void team.sawHost(id, host).then((written) => {
        if (!written.ok) last.delete(id)
      })
    },
  }
}
