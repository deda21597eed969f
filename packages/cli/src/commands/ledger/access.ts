import type { Review } from '@panoptes/engine/outcomes'
import {
  type BudgetState,
  type CalibrationReply,
  type CostRow,
  check,
  costsQuery,
  type FollowUpsReply,
  followUpsQuery,
  type LedgerAgentsReply,
  type LedgerClaimsReply,
  type LedgerSkillsReply,
  ledgerAgentsQuery,
  ledgerClaimsQuery,
  ledgerSkillsQuery,
  ledgerSpanQuery,
  MOST_LEDGER_ROWS,
  type OutcomeRow,
  type RecordSkillInput,
  type RecordSkillReply,
  type Result,
  type SkillReviewReply,
  type SkillUsesReply,
  skillUsesQuery,
} from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { openStore } from '../../daemon/access.ts'
import { bringSessions } from '../../daemon/bring-sessions.ts'
import { type Client, connect } from '../../daemon/client.ts'
import { reviewOf } from '../../daemon/follow-review.ts'
import { openReadSessions } from '../../daemon/follow-sessions.ts'
import { placeOf } from '../../daemon/place.ts'
import { CommandFailure, EXIT, orFail } from '../../failure.ts'
import { getJson, type QueryParams, sendJson } from '../../json-requests.ts'
import type { Output } from '../../terminal/output.ts'
import { startProgress } from '../../terminal/progress.ts'
import { loadConfig } from '../config.ts'

/** Access to outcomes, skills and claims: through the running daemon, or in this process if none is running. */
export interface LedgerAccess {
  readonly agents: (query: QueryParams) => Promise<LedgerAgentsReply>
  readonly claims: (query: QueryParams) => Promise<LedgerClaimsReply>
  readonly skillUses: (query: QueryParams) => Promise<SkillUsesReply>
  readonly skills: (query: QueryParams) => Promise<LedgerSkillsReply>
  readonly costs: (query: QueryParams) => Promise<readonly CostRow[]>
  readonly outcomes: (query: QueryParams) => Promise<readonly OutcomeRow[]>
  readonly calibration: (query: QueryParams) => Promise<CalibrationReply>
  readonly followUps: (query: QueryParams) => Promise<FollowUpsReply>
  readonly budgets: () => Promise<readonly BudgetState[]>
  readonly reviewSkills: (order: {
    readonly apply: boolean
    readonly undo: boolean
  }) => Promise<SkillReviewReply>
  readonly recordSkill: (use: RecordSkillInput) => Promise<RecordSkillReply>
}

export async function withLedger<T>(context: Context, work: (store: LedgerAccess) => Promise<T>): Promise<T> {
  const client = await connect(context.paths)
  return client ? work(openHttpClient(client)) : withLocalClient(context, work)
}

/** The input and output type of a query schema. */
export type Schema = Parameters<typeof check>[0]
export type ParsedQuery<S> = S extends { readonly _zod: { readonly output: infer T } } ? T : never

/** Applies the same rules as the HTTP API. */
function parseQuery<S extends Schema>(schema: S, params: QueryParams): ParsedQuery<S> {
  const values = Object.fromEntries(
    Object.entries(params).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  )
  const checked = check(schema, values)
  if (checked.ok) return checked.value as ParsedQuery<S>
  const [problem] = checked.problems
  throw new CommandFailure(`${problem?.path ? `--${problem.path} ` : ''}${problem?.reason ?? 'is wrong'}`, {
    code: 'usage',
    next: 'See the options: panoptes help ledger',
    exit: EXIT.usage,
  })
}

/** Reads the ledger from the daemon over HTTP. */
function openHttpClient(client: Client): LedgerAccess {
  const ask =
    <T>(name: string, schema?: Schema) =>
    async (query: QueryParams): Promise<T> => {
      if (schema) parseQuery(schema, query)
      return getJson<T>(client, `/api/ledger/${name}`, query)
    }
  return {
    agents: ask('agents', ledgerAgentsQuery),
    claims: ask('claims', ledgerClaimsQuery),
    skillUses: ask('skill-uses', skillUsesQuery),
    skills: ask('skills', ledgerSkillsQuery),
    costs: ask('costs', costsQuery),
    outcomes: ask('outcomes', ledgerSpanQuery),
    calibration: ask('calibration', ledgerSpanQuery),
    followUps: ask('followups', followUpsQuery),
    budgets: () => ask<never>('budgets')({}),
    reviewSkills: (order) => sendJson(client, 'POST', '/api/ledger/skills/review', order),
    recordSkill: (use) => sendJson(client, 'POST', '/api/ledger/skill-uses', use),
  }
}

/** Reads the ledger in this process, which has exclusive access to the store, after it reads changed sessions. */
async function withLocalClient<T>(context: Context, work: (store: LedgerAccess) => Promise<T>): Promise<T> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  const place = placeOf(context, config)
  const store = await openStore(context, place)
  try {
    await bringSessions(place, context)
    const home = { paths, env, config, place }
    const sessions = orFail(await openReadSessions(home, store))
    try {
      const review = orFail(await reviewOf(home, store, sessions))
      try {
        return await work(openLocalClient(context, review))
      } finally {
        await review.close()
      }
    } finally {
      await sessions.close()
    }
  } finally {
    await store.close()
  }
}

const POLL_MS = 100

async function refreshReview({ output }: Context, review: Review): Promise<void> {
  const progress = startProgress(output, 'Reading sessions')
  const polling = setInterval(() => {
    const { done, total } = review.reading()
    progress.update(done, total)
  }, POLL_MS)
  const read = await review.refresh()
  clearInterval(polling)
  progress.end()
  orFail(read)
}

function openLocalClient(context: Context, review: Review): LedgerAccess {
  let read: Promise<void> | undefined
  /** The work that must finish before an answer is correct. */
  const ensureFresh = (): Promise<void> => {
    read ??= refreshReview(context, review)
    return read
  }
  const ask =
    <S extends Schema, T>(schema: S, answer: (query: ParsedQuery<S>) => Promise<Result<T>>) =>
    async (asked: QueryParams): Promise<T> => {
      const query = parseQuery(schema, asked)
      await ensureFresh()
      return orFail(await answer(query))
    }
  return {
    agents: ask(ledgerAgentsQuery, review.agents),
    claims: ask(ledgerClaimsQuery, review.claims),
    skillUses: ask(skillUsesQuery, review.skillUses),
    skills: async (asked) => {
      const { verdict } = parseQuery(ledgerSkillsQuery, asked)
      await ensureFresh()
      const found = orFail(await review.skills())
      return {
        ...found,
        skills: found.skills.filter((one) => verdict === undefined || one.verdict === verdict),
      }
    },
    costs: ask(costsQuery, ({ split, ...query }) =>
      review.costs({ ...query, splitByModel: split === 'model' }),
    ),
    outcomes: ask(ledgerSpanQuery, review.outcomes),
    calibration: ask(ledgerSpanQuery, review.calibration),
    followUps: ask(followUpsQuery, review.followUps),
    budgets: async () => {
      await ensureFresh()
      return orFail(await review.budgets())
    },
    reviewSkills: async (order) => {
      await ensureFresh()
      return orFail(await review.reviewSkills(order))
    },
    recordSkill: async (use) => orFail(await review.recordSkill(use)),
  }
}

/** The default number of rows in a terminal. */
const DEFAULT_ROWS = 50

/** Returns the requested rows. Without a limit, people get the first rows and programs get all. */
export async function readRows<R extends { readonly total: number }>(
  { json }: Pick<Output, 'json'>,
  { csv, limit, ...query }: QueryParams & { readonly csv?: boolean },
  ask: (query: QueryParams) => Promise<R>,
  selectRows: (reply: R) => unknown[],
): Promise<R> {
  if (limit !== undefined || (!json && csv !== true)) return ask({ ...query, limit: limit ?? DEFAULT_ROWS })
  const from = Number(query.offset ?? 0)
  const first = await ask({ ...query, limit: MOST_LEDGER_ROWS })
  const rows = selectRows(first)
  for (let more = rows.length; more === MOST_LEDGER_ROWS; ) {
    const next = selectRows(await ask({ ...query, limit: MOST_LEDGER_ROWS, offset: from + rows.length }))
    rows.push(...next)
    more = next.length
  }
  return first
}
