import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Forgetter, Sessions } from '@panoptes/engine/sessions'
import { hermesHome } from '@panoptes/engine/sources'
import type { EventStore } from '@panoptes/engine/store'
import { openTemplates, type Past, type Templates } from '@panoptes/engine/templates'
import type { Outcome, Result, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Home } from './start-options.ts'

/** Opens the templates of a home on top of its past sessions. */
export const templatesOf = (
  { paths, env, config }: Home,
  store: Pick<EventStore, 'templateUses' | 'agents'>,
  past: Past,
): Templates =>
  openTemplates({
    folder: paths.templates,
    hermesFolder: join(hermesHome(env), 'session-templates'),
    templateUses: store.templateUses,
    past,
    outcomes: (refs) => outcomesOf(store, refs),
    experiment: config.templates.experiment,
    own: config.templates.tools,
    home: env.HOME || homedir(),
  })

/** The functions of past sessions that templates need. */
export const pastOf = ({ opening, works }: Pick<Sessions, 'opening' | 'works'>): Past => ({ opening, works })

/** Finds the outcome that the first agent of each session reported. Sessions without events have none. */
async function outcomesOf(
  store: Pick<EventStore, 'agents'>,
  refs: readonly SessionRef[],
): Promise<Result<ReadonlyMap<string, Outcome | null>>> {
  const of = refs.map(({ source, id }) => ({ source, session: id, id: 'main' }))
  const found = await store.agents({ of, limit: Math.max(1, of.length) })
  if (!found.ok) return found
  return success(
    new Map(
      found.value.value.map(
        ({ source, session_id, outcome }) => [`${source}/${session_id}`, outcome] as const,
      ),
    ),
  )
}

/** Deletes templates that were made from forgotten sessions. */
export const templatesForgetter =
  (templates: Pick<Templates, 'forget'>): Forgetter =>
  async (sessions) => {
    const gone = await templates.forget(sessions)
    return gone.ok ? success([{ from: 'templates', what: 'templates', count: gone.value }]) : gone
  }
