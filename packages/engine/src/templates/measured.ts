import type { Result, SessionRef, TemplateEffect } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { effectsOf } from './effect/index.ts'
import type { Outcomes } from './effect/measures.ts'
import { madeAt } from './effect/sides.ts'
import { type Everything, isOf } from './known.ts'
import type { Past, SessionWork } from './past.ts'
import type { Known } from './stored.ts'
import type { OwnTools } from './tool-kinds.ts'

export interface Measuring {
  readonly past: Past
  readonly outcomes: (refs: readonly SessionRef[]) => Promise<Result<Outcomes>>
  readonly own: OwnTools
  readonly now: () => number
}

/** Sessions that are looked at for a comparison, the newest of them. */
const MOST_COMPARED = 5_000

/** What each of these templates did. Where none was ever given, no session is looked at. */
export async function measured(
  { injections }: Pick<Everything, 'injections'>,
  which: readonly Known[],
  measuring: Measuring,
  project?: string,
): Promise<Result<readonly TemplateEffect[]>> {
  const compared = await comparedWith(which, injections, measuring)
  if (!compared.ok) return compared
  const works = compared.value
  const outcomes = works.length === 0 ? success(new Map()) : await measuring.outcomes(works)
  if (!outcomes.ok) return outcomes
  const { now, own } = measuring
  return success(
    effectsOf({ known: which, injections, works, outcomes: outcomes.value, now: now(), own, project }),
  )
}

async function comparedWith(
  which: readonly Known[],
  injections: Everything['injections'],
  { past }: Measuring,
): Promise<Result<readonly SessionWork[]>> {
  const used = which.filter((known) => injections.some((row) => isOf(known, row)))
  if (used.length === 0) return success([])
  const since = Math.min(
    ...used.map((known) =>
      madeAt(
        known,
        injections.filter((row) => isOf(known, row)),
      ),
    ),
  )
  const others = await past.works({ since, limit: MOST_COMPARED })
  if (!others.ok) return others
  const of = sessionsOf(injections.filter((row) => used.some((known) => isOf(known, row))))
  const theirs = of.length === 0 ? success([]) : await past.works({ of, limit: of.length })
  if (!theirs.ok) return theirs
  const all = [...theirs.value, ...others.value].map((work) => [`${work.source}/${work.id}`, work] as const)
  return success([...new Map(all).values()])
}

function sessionsOf(rows: Everything['injections']): readonly SessionRef[] {
  const refs = rows.flatMap(({ source, session_id: id }) =>
    source === null || id === null ? [] : [[`${source}/${id}`, { source, id }] as const],
  )
  return [...new Map(refs).values()].slice(-MOST_COMPARED)
}
