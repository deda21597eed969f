import type { OutsideSpent } from './accounts.ts'
import type { ClientSpending } from './session.ts'

/** The usage of a transcript's replies with one model. */
export interface InsideSpent {
  readonly cost_micro_usd: number
  /** Number of unpriced replies. */
  readonly cost_unknown: number
  /** Tokens of all kinds together. */
  readonly tokens: number
  readonly replies: number
}

/**
 * Computes what a client spent outside the transcript, by its own account. The result is never
 * negative. It is null if unknown: the client reports nothing, reports less than the transcript
 * proves, or a price needed for the comparison is unknown.
 */
export function computeOutsideSpent(
  client: ClientSpending | undefined,
  inside: ReadonlyMap<string, InsideSpent>,
): OutsideSpent | null {
  if (client === undefined) return null
  if (client.kind === 'calls') {
    const models = client.calls.flatMap(({ model, cost_micro_usd: cost }) =>
      cost === null ? [] : [{ model, cost_micro_usd: cost }],
    )
    return models.length < client.calls.length ? null : outside(models)
  }
  const replies = groupByPlainName(inside)
  const models = client.models && clientModels(client.models)
  if (models === null) {
    const more = excess(client.cost_micro_usd, sumSpent(replies.values()), client.within_micro_usd)
    return more === null ? null : outside([{ model: null, cost_micro_usd: more }])
  }
  const isMatched = [...replies].every(([model, { tokens }]) => tokens === 0 || models.has(model))
  // A client may name a model differently from the replies; then only the sums can be compared.
  const compared = isMatched ? models : new Map([['', sumSpent(models.values())]])
  const own = isMatched ? replies : new Map([['', sumSpent(replies.values())]])
  const found: OutsideSpent['models'] = []
  for (const [model, { cost_micro_usd: cost, tokens }] of compared) {
    const insideSpent = own.get(model) ?? NOTHING
    if (tokens < insideSpent.tokens) return null
    // The same tokens at another price are not spending outside the transcript.
    if (tokens === insideSpent.tokens && insideSpent.replies > 0) continue
    const more = excess(cost, insideSpent, client.within_micro_usd)
    if (more === null) return null
    found.push({ model: model === '' ? null : model, cost_micro_usd: more })
  }
  return outside(found)
}

const NOTHING: InsideSpent = { cost_micro_usd: 0, cost_unknown: 0, tokens: 0, replies: 0 }

const outside = (models: OutsideSpent['models']): OutsideSpent => ({
  cost_micro_usd: models.reduce((sum, { cost_micro_usd }) => sum + cost_micro_usd, 0),
  models: models.filter(({ cost_micro_usd }) => cost_micro_usd > 0),
})

/** Each reply is rounded to a whole micro-dollar. */
function excess(cost: number, { cost_micro_usd, cost_unknown, replies }: InsideSpent, within: number) {
  const slack = within + replies
  const more = cost - cost_micro_usd
  if (cost_unknown > 0 || more < -slack) return null
  return more <= slack ? 0 : more
}

/** Maps `claude-opus-5-5-20260801` and `claude-opus-5-5[1m]` to `claude-opus-5-5`. */
const plainName = (model: string): string => model.replace(/\[[^\]]*\]$/, '').replace(/-\d{8}$/, '')

const sumSpent = (all: Iterable<InsideSpent>): InsideSpent => {
  let sum = NOTHING
  for (const each of all)
    sum = {
      cost_micro_usd: sum.cost_micro_usd + each.cost_micro_usd,
      cost_unknown: sum.cost_unknown + each.cost_unknown,
      tokens: sum.tokens + each.tokens,
      replies: sum.replies + each.replies,
    }
  return sum
}

function groupByPlainName(all: Iterable<readonly [string, InsideSpent]>): ReadonlyMap<string, InsideSpent> {
  const named = new Map<string, InsideSpent>()
  for (const [model, each] of all) {
    const name = plainName(model)
    named.set(name, sumSpent([named.get(name) ?? NOTHING, each]))
  }
  return named
}

const clientModels = (models: NonNullable<Extract<ClientSpending, { kind: 'total' }>['models']>) =>
  groupByPlainName(
    Object.entries(models).map(
      ([model, spent]) => [model, { ...spent, cost_unknown: 0, replies: 0 }] as const,
    ),
  )
