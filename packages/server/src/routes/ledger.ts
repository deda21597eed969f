import type { Review } from '@panoptes/engine/outcomes'
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
import type { AppContext } from '../app-context.ts'
import { notThisComputer } from '../authorize.ts'
import { JSON_TYPE, jsonReply, type Route, route } from '../route.ts'

/** Outcomes of agents, tools, skills and claims. */
export const ledgerRoutes = ({ options: { review }, people }: AppContext): readonly Route[] =>
  review === undefined
    ? []
    : [...listRoutes(review), ...sumRoutes(review), ...skillRoutes(review, people !== undefined)]

const ledgerRoute = <Q extends z.ZodType>(
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
    answer: async ({ query }) => jsonReply(await ask(query as z.output<Q>)),
  })

const listRoutes = (review: Review): readonly Route[] => [
  ledgerRoute(
    'agents',
    'Agents with their outcomes, newest first.',
    ledgerAgentsQuery,
    ledgerAgentsReply,
    review.agents,
  ),
  ledgerRoute(
    'claims',
    'Claims of agents, with their evidence and whether it holds, newest first.',
    ledgerClaimsQuery,
    ledgerClaimsReply,
    review.claims,
  ),
  ledgerRoute(
    'skill-uses',
    'Uses of skills, newest first.',
    skillUsesQuery,
    skillUsesReply,
    review.skillUses,
  ),
  ledgerRoute(
    'followups',
    'Follow-ups that agents left, newest first.',
    followUpsQuery,
    followUpsReply,
    review.followUps,
  ),
]

const sumRoutes = (review: Review): readonly Route[] => [
  ledgerRoute('overview', 'Totals of a time range.', ledgerSpanQuery, ledgerOverview, review.overview),
  ledgerRoute(
    'costs',
    'Costs and tokens by day, source, project, model, agent, skill or session.',
    costsQuery,
    costsReply,
    ({ split, ...query }) => review.costs({ ...query, splitByModel: split === 'model' }),
  ),
  ledgerRoute(
    'outcomes',
    'Number of agents by type and reported outcome.',
    ledgerSpanQuery,
    outcomesReply,
    review.outcomes,
  ),
  ledgerRoute(
    'calibration',
    'Estimated and actual amounts, by model.',
    ledgerSpanQuery,
    calibrationReply,
    review.calibration,
  ),
  route({
    method: 'GET',
    path: '/api/ledger/budgets',
    scope: 'full',
    summary: 'Budgets from config.yaml, with spending so far.',
    reply: { type: JSON_TYPE, schema: budgetsReply },
    answer: async () => jsonReply(await review.budgets()),
  }),
]

const skillRoutes = (review: Review, isHub: boolean): readonly Route[] => [
  ledgerRoute(
    'skills',
    'Skills with their success rates and verdicts.',
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
      'Changes to skill folders that the verdicts suggest. `apply` makes them, `undo` reverts them. On a hub, both need a token from the home of its computer, where the folders are.',
    body: skillReviewInput,
    reply: { type: JSON_TYPE, schema: skillReviewReply },
    answer: async ({ body, caller, setTarget }) => {
      setTarget(body.undo ? 'undo' : body.apply ? 'apply' : 'look')
      return isHub && !caller?.home && (body.apply || body.undo)
        ? notThisComputer
        : jsonReply(await review.reviewSkills(body))
    },
  }),
  route({
    method: 'POST',
    path: '/api/ledger/skill-uses',
    scope: 'full',
    summary: 'Record one use of a skill.',
    body: recordSkillInput,
    reply: { type: JSON_TYPE, schema: recordSkillReply },
    answer: async ({ body, setTarget }) => {
      setTarget(body.skill)
      return jsonReply(await review.recordSkill(body))
    },
  }),
]
