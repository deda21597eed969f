import type { Review } from '@panoptes/engine/outcomes'
import {
  costsQuery,
  followUpsQuery,
  ledgerAgentsQuery,
  ledgerClaimsQuery,
  ledgerSkillsQuery,
  ledgerSpanQuery,
  type Result,
  skillUsesQuery,
} from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { openStore } from '../../daemon/access.ts'
import { bringSessions } from '../../daemon/bring-sessions.ts'
import { reviewOf } from '../../daemon/follow-review.ts'
import { placeOf } from '../../daemon/place.ts'
import { orFail } from '../../failure.ts'
import { startProgress } from '../../terminal/progress.ts'
import { loadConfig } from '../config.ts'
import type { LedgerAccess, QueryParams } from './access.ts'
import { type Schema, type Valid, valid } from './validation.ts'

/** Reads the ledger in this process, which has exclusive access to the store, after it reads changed sessions. */
export async function withFiles<T>(context: Context, work: (store: LedgerAccess) => Promise<T>): Promise<T> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  const place = placeOf(context, config)
  const store = await openStore(context, place)
  try {
    await bringSessions(place, context)
    const review = orFail(await reviewOf({ paths, env, config, place }, store))
    try {
      return await work(ofFiles(context, review))
    } finally {
      await review.close()
    }
  } finally {
    await store.close()
  }
}

const LOOK_MS = 100

async function bringUpToDate({ output }: Context, review: Review): Promise<void> {
  const progress = startProgress(output, 'Reading sessions')
  const looking = setInterval(() => {
    const { done, total } = review.reading()
    progress.update(done, total)
  }, LOOK_MS)
  const read = await review.refresh()
  clearInterval(looking)
  progress.end()
  orFail(read)
}

function ofFiles(context: Context, review: Review): LedgerAccess {
  let read: Promise<void> | undefined
  /** The work that must finish before an answer is correct. */
  const upToDate = (): Promise<void> => {
    read ??= bringUpToDate(context, review)
    return read
  }
  const ask =
    <S extends Schema, T>(schema: S, answer: (query: Valid<S>) => Promise<Result<T>>) =>
    async (asked: QueryParams): Promise<T> => {
      const query = valid(schema, asked)
      await upToDate()
      return orFail(await answer(query))
    }
  return {
    agents: ask(ledgerAgentsQuery, review.agents),
    claims: ask(ledgerClaimsQuery, review.claims),
    skillUses: ask(skillUsesQuery, review.skillUses),
    skills: async (asked) => {
      const { verdict } = valid(ledgerSkillsQuery, asked)
      await upToDate()
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
      await upToDate()
      return orFail(await review.budgets())
    },
    reviewSkills: async (order) => {
      await upToDate()
      return orFail(await review.reviewSkills(order))
    },
    recordSkill: async (use) => orFail(await review.recordSkill(use)),
  }
}
