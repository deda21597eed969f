import type { Ledger, Templated } from '@panoptes/engine/ledger'
import type { Sessions } from '@panoptes/engine/sessions'
import type { Past, Templates } from '@panoptes/engine/templates'
import { failure, success } from '@panoptes/schema/result'
import type { Context } from '../../context.ts'
import { lockHome, openLedger } from '../../daemon/access.ts'
import { templatesOf } from '../../daemon/follow-templates.ts'
import { isMade, placeOfHome } from '../../daemon/place.ts'
import { orFail } from '../../failure.ts'
import { loadConfig } from '../config.ts'
import type { Purpose } from '../sessions/access.ts'
import { openUpToDate } from '../sessions/of-files.ts'
import type { TemplatesAccess } from './access.ts'

type Work<T> = (templates: TemplatesAccess) => Promise<T>

/** Templates seen to in this process, with the ledger to itself. */
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
  const ledger = await openLedger(context, place)
  try {
    return await withSessions(context, ledger, work)
  } finally {
    await ledger.close()
  }
}

/** Sessions are read when somebody first asks for one: most of what is done with templates needs none. */
async function withSessions<T>(context: Context, ledger: Ledger | undefined, work: Work<T>): Promise<T> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  let opened: Promise<Sessions> | undefined
  const sessions = (): Promise<Sessions> => {
    opened ??= openUpToDate(context, ledger)
    return opened
  }
  const past: Past = {
    opening: async (session, turns) => (await sessions()).opening(session, turns),
    works: async (query) => (await sessions()).works(query),
  }
  try {
    return await work(ofFiles(templatesOf({ paths, env, config }, ledger ?? NO_LEDGER, past), sessions))
  } finally {
    const open = await opened?.catch(() => undefined)
    await open?.close()
  }
}

const NOTHING = failure('closed', 'There is no ledger to write into')

const NO_TEMPLATED: Templated = {
  inject: async () => NOTHING,
  note: async () => NOTHING,
  injections: async () => success([]),
  notes: async () => success([]),
}

/** Where nothing was written yet, nothing is known. */
const NO_LEDGER: Pick<Ledger, 'templated' | 'agents'> = {
  templated: NO_TEMPLATED,
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
