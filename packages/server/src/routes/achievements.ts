import { resolve } from 'node:path'
import type { Achievements, View } from '@panoptes/engine/achievements'
import {
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
import { achievementsAnswer } from '../achievements-response.ts'
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
  const answer = achievementsAnswer()
  return route({
    method: 'GET',
    path: '/api/achievements',
    scope: 'full',
    summary:
      'All achievements. An outdated count is returned immediately and updated in the background. The first request waits for the first count.',
    query: achievementsQuery,
    shared: isOfHermes,
    reply: { type: JSON_TYPE, schema: achievementsReply },
    answer: async ({ query, incoming }) => {
      const view = toView(query)
      const found = await achievements.get(view, query)
      return found.ok ? answer(found.value, incoming.headers['if-none-match']) : toRefusal(found)
    },
  })
}

/** The achievements tab in the Hermes dashboard may read the achievements of Hermes sessions. */
const isOfHermes = (query: URLSearchParams): boolean =>
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
