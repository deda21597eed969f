import type { Review } from '@panoptes/engine/review'
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
import { openLedger } from '../../daemon/access.ts'
import { bringSessions } from '../../daemon/bring-sessions.ts'
import { reviewOf } from '../../daemon/follow-review.ts'
import { placeOf } from '../../daemon/place.ts'
import { orFail } from '../../failure.ts'
import { startProgress } from '../../terminal/progress.ts'
import { loadConfig } from '../config.ts'
import type { Asked, LedgerAccess } from './access.ts'
import { type Schema, type Valid, valid } from './valid.ts'

/** Seen to in this process, with the ledger to itself; what changed is read first. */
export async function withFiles<T>(context: Context, work: (ledger: LedgerAccess) => Promise<T>): Promise<T> {
  const { paths, env } = context
  const { config } = await loadConfig(context)
  const place = placeOf(context, config)
  const ledger = await openLedger(context, place)
  try {
    await bringSessions(place, env)
    const review = orFail(await reviewOf({ paths, env, config, place }, ledger))
    try {
      return await work(ofFiles(context, review))
    } finally {
      await review.close()
    }
  } finally {
    await ledger.close()
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
  /** What has to be known before an answer is true. */
  const upToDate = (): Promise<void> => {
    read ??= bringUpToDate(context, review)
    return read
  }
  const ask =
    <S extends Schema, T>(schema: S, answer: (query: Valid<S>) => Promise<Result<T>>) =>
    async (asked: Asked): Promise<T> => {
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
