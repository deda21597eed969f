import type { Sessions } from '@panoptes/engine/sessions'
import type { EventStore, TemplateUses } from '@panoptes/engine/store'
import type { Past, Templates } from '@panoptes/engine/templates'
import { failure, success } from '@panoptes/schema/result'
import type { Context } from '../../context.ts'
import { lockHome, openStore } from '../../daemon/access.ts'
import { templatesOf } from '../../daemon/follow-templates.ts'
import { isMade, placeOfHome } from '../../daemon/place.ts'
import { orFail } from '../../failure.ts'
import { loadConfig } from '../config.ts'
import type { Purpose } from '../sessions/access.ts'
import { openUpToDate } from '../sessions/of-files.ts'
import type { TemplatesAccess } from './access.ts'

type Work<T> = (templates: TemplatesAccess) => Promise<T>

/** Handles templates in this process, which has exclusive access to the store. */
export async function withFiles<T>(context: Context, purpose: Purpose, work: Work<T>): Promise<T> {
  const place = await placeOfHome(context)
  if (purpose === 'read' && !isMade(place)) {
    const lock = await lockHome(context)
    try {
      return await withSessions(context, undefined, work)
    } finally {
      lock.release()
    }
  }
  const store = await openStore(context, place)
  try {
    return await withSessions(context, store, work)
  } finally {
    await store.close()
  }
}

/** Reads sessions on first use, because most template commands need none. */
async function withSessions<T>(context: Context, store: EventStore | undefined, work: Work<T>): Promise<T> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  let opened: Promise<Sessions> | undefined
  const sessions = (): Promise<Sessions> => {
    opened ??= openUpToDate(context, store)
    return opened
  }
  const past: Past = {
    opening: async (session, turns) => (await sessions()).opening(session, turns),
    works: async (query) => (await sessions()).works(query),
  }
  try {
    return await work(ofFiles(templatesOf({ paths, env, config }, store ?? NO_STORE, past), sessions))
  } finally {
    const open = await opened?.catch(() => undefined)
    await open?.close()
  }
}

const NOTHING = failure('closed', 'There is no store to write to')

const NO_TEMPLATE_USES: TemplateUses = {
  inject: async () => NOTHING,
  note: async () => NOTHING,
  injections: async () => success([]),
  notes: async () => success([]),
}

/** Stands in for a store that does not exist yet. */
const NO_STORE: Pick<EventStore, 'templateUses' | 'agents'> = {
  templateUses: NO_TEMPLATE_USES,
  agents: async () => success({ seq: 0, value: [] }),
}

const ofFiles = (templates: Templates, sessions: () => Promise<Sessions>): TemplatesAccess => ({
  sessions: {
    list: async (filter, limit) => orFail(await (await sessions()).list({ ...filter, limit })),
  },
  list: async (type) => orFail(await templates.list(type)),
  show: async (name) => orFail(await templates.show(name)),
  preview: async (input) => orFail(await templates.preview(input)),
  create: async (input) => orFail(await templates.create(input)),
  remove: async (name) => {
    orFail(await templates.remove(name))
  },
  restore: async (name) => {
    orFail(await templates.restore(name))
  },
  inject: async (input) => orFail(await templates.inject(input)),
  effect: async (name, project) => orFail(await templates.effect(name, project)),
  effects: async (project) => orFail(await templates.effects(project)),
  suggest: async (wish) => orFail(await templates.suggest(wish)),
})
