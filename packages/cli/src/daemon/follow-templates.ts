import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Ledger } from '@panoptes/engine/ledger'
import type { Forgetter, Sessions } from '@panoptes/engine/sessions'
import { hermesHome } from '@panoptes/engine/sources'
import { openTemplates, type Past, type Templates } from '@panoptes/engine/templates'
import type { Outcome, Result, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Home } from './start.ts'

/** Templates of a home, over what is known of its past sessions. */
export const templatesOf = (
  { paths, env, config }: Home,
  ledger: Pick<Ledger, 'templated' | 'agents'>,
  past: Past,
): Templates =>
  openTemplates({
    folder: paths.templates,
    hermesFolder: join(hermesHome(env), 'session-templates'),
    templated: ledger.templated,
    past,
    outcomes: (refs) => outcomesOf(ledger, refs),
    experiment: config.templates.experiment,
    own: config.templates.tools,
    home: env.HOME || homedir(),
  })

/** What templates ask of past sessions. */
export const pastOf = ({ opening, works }: Pick<Sessions, 'opening' | 'works'>): Past => ({ opening, works })

/** How the agent that a session began with says that it ended; only those of whom events were told. */
async function outcomesOf(
  ledger: Pick<Ledger, 'agents'>,
  refs: readonly SessionRef[],
): Promise<Result<ReadonlyMap<string, Outcome | null>>> {
  const of = refs.map(({ source, id }) => ({ source, session: id, id: 'main' }))
  const found = await ledger.agents({ of, limit: Math.max(1, of.length) })
  if (!found.ok) return found
  return success(
    new Map(
      found.value.value.map(
        ({ source, session_id, outcome }) => [`${source}/${session_id}`, outcome] as const,
      ),
    ),
  )
}

/** Templates made from forgotten sessions go with them. */
export const templatesForgetter =
  (templates: Pick<Templates, 'forget'>): Forgetter =>
  async (sessions) => {
    const gone = await templates.forget(sessions)
    return gone.ok ? success([{ from: 'templates', what: 'templates', count: gone.value }]) : gone
  }
