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
import { achievementsAnswer } from '../achievements-answer.ts'
import type { Kit } from '../kit.ts'
import { refusalOf } from '../problem.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'

/** What all sessions amount to. */
export const achievementRoutes = ({ options: { achievements } }: Kit): readonly Route[] =>
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

const viewOf = ({ source, hermes_db, tz }: ViewQuery): View => ({
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
      'All achievements as they stand. What is old is answered at once and counted anew meanwhile; before the first count it is waited for.',
    query: achievementsQuery,
    shared: isOfHermes,
    reply: { type: JSON_TYPE, schema: achievementsReply },
    answer: async ({ query, incoming }) => {
      const view = viewOf(query)
      const found = await achievements.get(view, query)
      return found.ok ? answer(found.value, incoming.headers['if-none-match']) : refusalOf(found)
    },
  })
}

/** The tab in Hermes' dashboard may see what Hermes' own sessions amount to. */
const isOfHermes = (query: URLSearchParams): boolean =>
  query.get('source') === 'hermes' && [...query.keys()].every((key) => key === 'source' || key === 'wait')

const rescan = (achievements: Achievements): Route =>
  route({
    method: 'POST',
    path: '/api/rescan',
    scope: 'full',
    summary:
      'Starts to count for achievements, or names the run that does already. It does not wait for its end.',
    body: rescanInput,
    reply: { type: JSON_TYPE, schema: rescanReply },
    answer: ({ body: { full, ...asked } }) => json(achievements.rescan(viewOf(asked), { full })),
  })

const getScanStatus = (achievements: Achievements): Route =>
  route({
    method: 'GET',
    path: '/api/scan-status',
    scope: 'full',
    summary: 'How far counting for achievements is, and how the last run ended. It never starts one.',
    query: viewQuery,
    reply: { type: JSON_TYPE, schema: scanStatus },
    answer: ({ query }) => json(achievements.status(viewOf(query))),
  })

const getRecent = (achievements: Achievements): Route =>
  route({
    method: 'GET',
    path: '/api/recent-unlocks',
    scope: 'full',
    summary: 'What was unlocked last, the newest first, at most twenty.',
    query: viewQuery,
    reply: { type: JSON_TYPE, schema: recentUnlocksReply },
    answer: async ({ query }) => {
      const recent = await achievements.recent(viewOf(query))
      return recent.ok ? json(recent.value) : refusalOf(recent)
    },
  })

const getBadges = (achievements: Achievements): Route =>
  route({
    method: 'GET',
    path: '/api/sessions/:id/badges',
    scope: 'full',
    summary: 'What one session alone would have unlocked.',
    params: z.object({ id: z.string() }),
    query: viewQuery,
    reply: { type: JSON_TYPE, schema: sessionBadgesReply },
    answer: async ({ params, query }) => {
      const badges = await achievements.badges(params.id, viewOf(query))
      return badges.ok ? json(badges.value) : refusalOf(badges)
    },
  })

const reset = (achievements: Achievements): Route =>
  route({
    method: 'POST',
    path: '/api/achievements/reset',
    scope: 'full',
    role: 'admin',
    summary:
      'Takes away what was unlocked and counted, with its dates. It has to be confirmed: {"confirm": "reset"}.',
    body: resetInput,
    reply: { type: JSON_TYPE, schema: resetReply },
    answer: async ({ body }) => {
      const removed = await achievements.reset(viewOf(body))
      return removed.ok ? json({ ok: true, unlocks_removed: removed.value }) : refusalOf(removed)
    },
  })
