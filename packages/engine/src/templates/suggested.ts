import type { Suggestion } from '@panoptes/schema'
import { callsOf, TURNS } from './calls.ts'
import { judgedCalls } from './judged.ts'
import type { Past, SessionWork } from './past.ts'
import { type SuggestInput, suggestFrom, wentWell } from './suggest.ts'
import type { OwnTools } from './tool-kinds.ts'

/** So many more than are asked for are looked into, since some turn out to have little of their own. */
const MORE = 20

/**
 * The sessions that are worth a template. What is known of a session counts its sub-agents too, and all of its turns: the likeliest are
 * looked into, and ranked by what a template of them would be made of.
 */
export async function suggested(input: SuggestInput, past: Past): Promise<readonly Suggestion[]> {
  const { works, limit, own } = input
  const likely = suggestFrom({ ...input, limit: limit + MORE })
  const byName = new Map(works.map((work) => [`${work.source}/${work.id}`, work]))
  const proven: SessionWork[] = []
  for (const { source, id } of likely) {
    if (proven.length === limit) break
    const work = byName.get(`${source}/${id}`)
    const real = work && (await lookedInto(work, past, own))
    if (real && wentWell(real)) proven.push(real)
  }
  return suggestFrom({ ...input, works: proven })
}

/** The same session with the calls alone that a template would be made of; undefined where none of them could be shown. */
async function lookedInto(
  work: SessionWork,
  past: Past,
  own: OwnTools | undefined,
): Promise<SessionWork | undefined> {
  const opening = await past.opening(work, TURNS)
  if (!opening.ok) return undefined
  const { calls } = callsOf(opening.value.messages)
  const { failed, worked } = judgedCalls(calls, work.source, own)
  if (worked.length === 0) return undefined
  const failures = new Set(failed)
  const tools = [...Map.groupBy(calls, ({ tool }) => tool)].map(([tool, of]) => ({
    tool,
    calls: of.length,
    errors: of.filter((call) => failures.has(call)).length,
  }))
  return { ...work, tool_calls: calls.length, errors: failed.length, tools }
}
