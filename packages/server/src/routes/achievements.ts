import { hash } from 'node:crypto'
import { resolve } from 'node:path'
import type { Achievements, View } from '@panoptes/engine/achievements'
import {
  type AchievementItem,
  type AchievementsReply,
  achievementsQuery,
  achievementsReply,
  recentUnlocksReply,
  rescanInput,
  rescanReply,
  resetInput,
  resetReply,
  scanStatus,
  sessionBadgesReply,
  type ViewQuery,
  viewQuery,
} from '@panoptes/schema'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import { toRefusal } from '../problem.ts'
import { JSON_TYPE, json, jsonReply, type Route, route } from '../route.ts'

/** Achievements over all sessions. */
export const achievementRoutes = ({ options: { achievements } }: AppContext): readonly Route[] =>
  achievements === undefined
    ? []
    : [
        getAchievements(achievements),
        rescan(achievements),
        getScanStatus(achievements),
        getRecent(achievements),
        getBadges(achievements),
        reset(achievements),
      ]

const toView = ({ source, hermes_db, tz }: ViewQuery): View => ({
  source,
  hermesDb: hermes_db === undefined ? undefined : resolve(hermes_db),
  zone: tz,
})

const getAchievements = (achievements: Achievements): Route => {
  const answer = createAchievementsResponse()
  return route({
    method: 'GET',
    path: '/api/achievements',
    scope: 'full',
    summary:
      'All achievements. An outdated count is returned at once and updated in the background. The first request waits for the first count.',
    query: achievementsQuery,
    shared: isHermesView,
    reply: { type: JSON_TYPE, schema: achievementsReply },
    answer: async ({ query, incoming }) => {
      const view = toView(query)
      const found = await achievements.get(view, query)
      return found.ok ? answer(found.value, incoming.headers['if-none-match']) : toRefusal(found)
    },
  })
}

/** The achievements tab in the Hermes dashboard may read the achievements of Hermes sessions. */
const isHermesView = (query: URLSearchParams): boolean =>
  query.get('source') === 'hermes' && [...query.keys()].every((key) => key === 'source' || key === 'wait')

const rescan = (achievements: Achievements): Route =>
  route({
    method: 'POST',
    path: '/api/rescan',
    scope: 'full',
    summary: 'Start counting achievements, or return the run in progress. Does not wait for the count.',
    body: rescanInput,
    reply: { type: JSON_TYPE, schema: rescanReply },
    answer: ({ body: { full, ...query } }) => json(achievements.rescan(toView(query), { full })),
  })

const getScanStatus = (achievements: Achievements): Route =>
  route({
    method: 'GET',
    path: '/api/scan-status',
    scope: 'full',
    summary: 'Progress of the achievement count, and how the last run ended. Never starts a run.',
    query: viewQuery,
    reply: { type: JSON_TYPE, schema: scanStatus },
    answer: ({ query }) => json(achievements.status(toView(query))),
  })

const getRecent = (achievements: Achievements): Route =>
  route({
    method: 'GET',
    path: '/api/recent-unlocks',
    scope: 'full',
    summary: 'The twenty most recent unlocks, newest first.',
    query: viewQuery,
    reply: { type: JSON_TYPE, schema: recentUnlocksReply },
    answer: async ({ query }) => {
      const recent = await achievements.recent(toView(query))
      return jsonReply(recent)
    },
  })

const getBadges = (achievements: Achievements): Route =>
  route({
    method: 'GET',
    path: '/api/sessions/:id/badges',
    scope: 'full',
    summary: 'Achievements that this session alone would have unlocked.',
    params: z.object({ id: z.string() }),
    query: viewQuery,
    reply: { type: JSON_TYPE, schema: sessionBadgesReply },
    answer: async ({ params, query }) => {
      const badges = await achievements.badges(params.id, toView(query))
      return jsonReply(badges)
    },
  })

const reset = (achievements: Achievements): Route =>
  route({
    method: 'POST',
    path: '/api/achievements/reset',
    scope: 'full',
    role: 'admin',
    summary:
      'Delete all unlocks, their dates, and the counts behind them. Confirm with {"confirm": "reset"}.',
    body: resetInput,
    reply: { type: JSON_TYPE, schema: resetReply },
    answer: async ({ body }) => {
      const removed = await achievements.reset(toView(body))
      return removed.ok ? json({ ok: true, unlocks_removed: removed.value }) : toRefusal(removed)
    },
  })

interface SerializedItems {
  readonly text: Buffer
  readonly tag: string
}

/** Writes the catalogue once per snapshot; each answer then puts a small head of its own before it. */
function createAchievementsResponse(): (
  reply: AchievementsReply,
  ifNoneMatch: string | undefined,
) => Response {
  const written = new WeakMap<readonly AchievementItem[], SerializedItems>()
  const write = (items: readonly AchievementItem[]): SerializedItems => {
    const made = written.get(items) ?? serialize(items)
    written.set(items, made)
    return made
  }
  return ({ achievements, ...head }, ifNoneMatch) => {
    const { text, tag } = write(achievements)
    // The ETag leaves the age out: an answer that differs only in age counts as unchanged.
    const etag = `W/"${hash('sha1', `${tag}${JSON.stringify(omitAge(head))}`, 'base64url')}"`
    const headers = { etag }
    if (ifNoneMatch?.split(/\s*,\s*/).includes(etag)) return new Response(null, { status: 304, headers })
    const before = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"achievements":`)
    return new Response(Buffer.concat([before, text, END]), {
      headers: { ...headers, 'content-type': JSON_TYPE },
    })
  }
}

const END = Buffer.from('}')

const serialize = (items: readonly AchievementItem[]): SerializedItems => {
  const text = Buffer.from(JSON.stringify(items))
  return { text, tag: hash('sha1', text, 'base64url') }
}

function omitAge(head: Omit<AchievementsReply, 'achievements'>): unknown {
  const { status, ...meta } = head.scan_meta
  const { snapshot_age_seconds: _age, ...aged } = status ?? { snapshot_age_seconds: null }
  return { ...head, scan_meta: { ...meta, status: aged } }
}
