import type { Review } from '@panoptes/engine/review'
import {
  budgetsReply,
  calibrationReply,
  costsQuery,
  costsReply,
  followUpsQuery,
  followUpsReply,
  ledgerAgentsQuery,
  ledgerAgentsReply,
  ledgerClaimsQuery,
  ledgerClaimsReply,
  ledgerOverview,
  ledgerSkillsQuery,
  ledgerSkillsReply,
  ledgerSpanQuery,
  outcomesReply,
  type Result,
  recordSkillInput,
  recordSkillReply,
  skillReviewInput,
  skillReviewReply,
  skillUsesQuery,
  skillUsesReply,
} from '@panoptes/schema'
import type { z } from 'zod'
import { notThisComputer } from '../guard.ts'
import type { Kit } from '../kit.ts'
import { type Refusal, refusalOf } from '../problem.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'

/** What agents, tools, skills and claims amounted to. */
export const ledgerRoutes = ({ options: { review }, people }: Kit): readonly Route[] =>
  review === undefined ? [] : [...lists(review), ...sums(review), ...skills(review, people !== undefined)]

const answer = <T>(result: Result<T>): Response | Refusal =>
  result.ok ? json(result.value) : refusalOf(result)

const get = <Q extends z.ZodType>(
  name: string,
  summary: string,
  query: Q,
  schema: z.ZodType,
  ask: (query: z.output<Q>) => Promise<Result<unknown>>,
): Route =>
  route({
    method: 'GET',
    path: `/api/ledger/${name}`,
    scope: 'full',
    summary,
    query,
    reply: { type: JSON_TYPE, schema },
    answer: async ({ query }) => answer(await ask(query as z.output<Q>)),
  })

const lists = (review: Review): readonly Route[] => [
  get(
    'agents',
    'What each agent amounted to, the newest first.',
    ledgerAgentsQuery,
    ledgerAgentsReply,
    review.agents,
  ),
  get(
    'claims',
    'Numbers that agents stated, what they stand on and whether that holds, the newest first.',
    ledgerClaimsQuery,
    ledgerClaimsReply,
    review.claims,
  ),
  get('skill-uses', 'Uses of skills, the newest first.', skillUsesQuery, skillUsesReply, review.skillUses),
  get(
    'followups',
    'What agents say is still to be done, the newest first.',
    followUpsQuery,
    followUpsReply,
    review.followUps,
  ),
]

const sums = (review: Review): readonly Route[] => [
  get('overview', 'The sums of a span.', ledgerSpanQuery, ledgerOverview, review.overview),
  get(
    'costs',
    'Money and tokens by day, source, project, model, agent, skill or session.',
    costsQuery,
    costsReply,
    ({ split, ...query }) => review.costs({ ...query, splitByModel: split === 'model' }),
  ),
  get(
    'outcomes',
    'How the agents of each kind ended, by their own word.',
    ledgerSpanQuery,
    outcomesReply,
    review.outcomes,
  ),
  get(
    'calibration',
    'What was estimated against what it took, by model.',
    ledgerSpanQuery,
    calibrationReply,
    review.calibration,
  ),
  route({
    method: 'GET',
    path: '/api/ledger/budgets',
    scope: 'full',
    summary: 'The budgets of the config, and how each stands.',
    reply: { type: JSON_TYPE, schema: budgetsReply },
    answer: async () => answer(await review.budgets()),
  }),
]

const skills = (review: Review, isHub: boolean): readonly Route[] => [
  get(
    'skills',
    'Skills with their rates and what the rules say of each.',
    ledgerSkillsQuery,
    ledgerSkillsReply,
    async ({ verdict }) => {
      const found = await review.skills()
      if (!found.ok || verdict === undefined) return found
      const { skills, ...rest } = found.value
      return { ok: true, value: { ...rest, skills: skills.filter((skill) => skill.verdict === verdict) } }
    },
  ),
  route({
    method: 'POST',
    path: '/api/ledger/skills/review',
    scope: 'full',
    summary:
      'What the verdicts ask for on the folders of skills; it is done only with apply, and undone with undo. On a hub both need a token file of its home: the folders are of its own computer.',
    body: skillReviewInput,
    reply: { type: JSON_TYPE, schema: skillReviewReply },
    answer: async ({ body, caller, about }) => {
      about(body.undo ? 'undo' : body.apply ? 'apply' : 'look')
      return isHub && !caller?.home && (body.apply || body.undo)
        ? notThisComputer
        : answer(await review.reviewSkills(body))
    },
  }),
  route({
    method: 'POST',
    path: '/api/ledger/skill-uses',
    scope: 'full',
    summary: 'Records one use of a skill.',
    body: recordSkillInput,
    reply: { type: JSON_TYPE, schema: recordSkillReply },
    answer: async ({ body, about }) => {
      about(body.skill)
      return answer(await review.recordSkill(body))
    },
  }),
]
