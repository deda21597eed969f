import type { Agent, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Context } from '../../context.ts'
import { withLedger } from '../../daemon/access.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import type { Known } from '../../own-data/own-data.ts'
import { withLedger as withAccounts } from '../ledger/access.ts'
import { withSessions } from '../sessions/access.ts'
import { withTemplates } from '../templates/access.ts'

const ALIVE: readonly Agent['state'][] = ['working', 'waiting', 'stuck']

/**
 * What a home knows, looked for anew with every question: of the daemon while one runs, else of the files, which are let
 * go of again, so that a daemon can start meanwhile. One question at a time, as the files are for one process alone.
 */
export function ofHome(context: Context): Known {
  let last: Promise<unknown> = Promise.resolve()
  const asked = <T>(work: () => Promise<T>): Promise<Result<T>> => {
    const next = last.then(work).then(success, failureOf)
    last = next
    return next
  }
  return {
    search: ({ text, source, limit }) =>
      asked(() => withSessions(context, (sessions) => sessions.search(`${text} `, { source }, limit))),
    transcript: ({ source, id, from }) =>
      asked(() =>
        withSessions(context, async (sessions) => {
          const session = (await sessions.list({ id, source }, 100)).find((one) => one.id === id)
          if (session) return sessions.transcript(session, from)
          throw new CommandFailure(`There is no session ${id} of ${source}`, { code: 'not_found' })
        }),
      ),
    alive: (limit) => asked(() => withLedger(context, (access) => alive(access, limit))),
    costs: (query) => asked(() => withAccounts(context, (ledger) => ledger.costs({ ...query }))),
    templates: () => asked(() => withTemplates(context, 'read', (templates) => templates.list())),
    template: (name) => asked(() => withTemplates(context, 'read', (templates) => templates.show(name))),
  }
}

async function alive(
  access: Parameters<Parameters<typeof withLedger>[1]>[0],
  limit: number,
): Promise<readonly Agent[]> {
  if (access.kind === 'file') return orFail(await access.ledger.agents({ states: ALIVE, limit })).value
  return access.client.json(
    `/api/agents?${new URLSearchParams({ state: ALIVE.join(','), limit: String(limit) })}`,
  )
}

function failureOf(error: unknown) {
  const isMissing = error instanceof CommandFailure && error.code === 'not_found'
  return failure(isMissing ? 'not_found' : 'io', error instanceof Error ? error.message : String(error))
}
