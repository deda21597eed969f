import type { SessionRecord } from '@panoptes/engine/sources'
import type { Account, Claim, ClaimCheck } from '@panoptes/schema'
import { spoken } from '../ran/tools.ts'
import { claimedIn } from './claimed.ts'
import { compareEstimates } from './compare.ts'
import { type Estimated, estimatedIn } from './estimated.ts'
import { judgedByCall, open, type Stated } from './judge.ts'
import { type LookedUp, lookUp } from './look-up.ts'
import type { Looking } from './looking.ts'
import { Measured } from './measured.ts'
import { type PointedCall, PointedCalls } from './pointed.ts'
import { namesCall, type Target, targetsOf } from './pointer.ts'
import { Sought } from './sought.ts'

export interface Checking {
  readonly account: Account
  /** The session again, from its beginning. */
  readonly reread: () => AsyncIterable<SessionRecord>
  readonly looking: Looking
}

interface Pointing extends Stated {
  readonly targets: readonly Target[]
  /** The calls that it names, as far as they had come by when it was said. */
  calls: { readonly target: Target; readonly calls: readonly PointedCall[] } | undefined
}

/** The claims of an account, each with what the session, files and journals say of it. The session is read once more. */
export async function checkClaims({ account, reread, looking }: Checking): Promise<Account> {
  const tools = new Set(account.agents.flatMap(({ tool_stats }) => Object.keys(tool_stats).map(spoken)))
  const sought = new Sought()
  const nouns = new Set<string>()
  const pointing = account.claims.map((claim) => pointingOf(claim, tools, sought, nouns))
  const estimates = new Map<number, Estimated>()
  const calls = new PointedCalls({ sought, nouns })
  for (const [place, { claim, targets }] of pointing.entries()) {
    const estimated = claim.evidence_tier === 'ESTIMATE-HTC' ? estimatedIn(claim.value) : undefined
    if (estimated !== undefined) estimates.set(place, estimated)
    for (const target of targets) calls.seek(claim.agent_id, target)
  }
  const measured = new Measured()
  const cwd = await reading({ reread, pointing, estimates, calls, measured })
  const finished = new Set(account.agents.flatMap(({ agent_id, finished }) => (finished ? [agent_id] : [])))
  measured.end((agent) => finished.has(agent))
  const lookedUp = await lookUp(pointing, { looking, cwd, digesting: { sought, nouns } })

  const checked = pointing.map((each, place) => ({
    ...each.claim,
    check: checkOf(each, calls, lookedUp.get(place)),
  }))
  return { ...account, claims: [...compareEstimates(checked, estimates, measured.took)] }
}

/** Estimates stand on what is like them: what they point to is no measure of them. */
function pointingOf(claim: Claim, tools: ReadonlySet<string>, sought: Sought, nouns: Set<string>): Pointing {
  const isEstimate = claim.evidence_tier === 'ESTIMATE-HTC'
  const claimed = claimedIn(claim.value)
  if (claimed?.noun !== undefined) nouns.add(claimed.noun)
  return {
    claim,
    claimed,
    marks: claimed === undefined || isEstimate ? [] : sought.add(claimed.figure, claimed.noun !== undefined),
    besideMarks: isEstimate ? [] : (claimed?.beside ?? []).map(({ figure }) => sought.add(figure, true)),
    targets: isEstimate ? [] : targetsOf(claim.pointer, tools),
    calls: undefined,
  }
}

interface Reading {
  readonly reread: Checking['reread']
  readonly pointing: readonly Pointing[]
  readonly estimates: ReadonlyMap<number, Estimated>
  readonly calls: PointedCalls
  readonly measured: Measured
}

/** Reads the session; answers where its agent worked. */
async function reading({ reread, pointing, estimates, calls, measured }: Reading): Promise<string | null> {
  const places = Map.groupBy(pointing.keys(), (place) => pointing[place]?.claim.n ?? -1)
  let n = 0
  for await (const record of reread()) {
    if (record.kind === 'session') return record.session.cwd
    if (record.kind === 'failed') return null
    if (record.kind !== 'message') continue
    const { message } = record
    for (const place of places.get(n) ?? []) {
      const each = pointing[place] as Pointing
      const estimated = estimates.get(place)
      if (estimated !== undefined) measured.said(place, estimated, message)
      each.calls = named(each, calls)
    }
    calls.saw(message, n)
    if (message.state === 'active' || message.state === 'compacted') measured.saw(message, n)
    n += 1
  }
  return null
}

function named({ claim, targets }: Pointing, calls: PointedCalls): Pointing['calls'] {
  for (const target of targets) {
    const found = calls.at(claim.agent_id, target)
    if (found.length > 0) return { target, calls: found }
  }
  return undefined
}

/** A call of another agent may be told after the claim, though it was made before. */
function namedLater({ claim, targets }: Pointing, calls: PointedCalls): Pointing['calls'] {
  for (const target of targets) {
    if (target.kind !== 'call' && target.kind !== 'step') continue
    const found = calls
      .at(claim.agent_id, target)
      .filter(({ agent, ts }) => agent !== claim.agent_id && (ts === null || ts <= claim.ts))
    if (found.length > 0) return { target, calls: found }
  }
  return undefined
}

function checkOf(each: Pointing, calls: PointedCalls, lookedUp: LookedUp | undefined): ClaimCheck {
  const { claim, targets } = each
  if (claim.evidence_tier === 'ESTIMATE-HTC') return open('Nothing was measured yet.')
  if (targets.some(({ kind }) => kind === 'url')) return open('Addresses are not fetched.')
  const { target, calls: found } = each.calls ?? namedLater(each, calls) ?? { target: undefined, calls: [] }
  if (target === undefined || found.length === 0)
    return lookedUp?.check ?? open(notThere(claim.pointer, targets))
  const isExact = target.kind !== 'tool' && found.length === 1
  const checks = found.map((call) => judgedByCall(each, call, isExact))
  return (
    checks.find(({ verdict }) => verdict === 'holds') ??
    (checks.length === 1 ? checks[0] : undefined) ??
    worst(checks)
  )
}

/** Of several calls none of which bears it out: that one of them failed says nothing of the claim. */
const worst = (checks: readonly ClaimCheck[]): ClaimCheck =>
  checks.every(({ verdict }) => verdict === 'fails')
    ? (checks[0] as ClaimCheck)
    : open('None of the calls there says so.', checks[0]?.evidence ?? null)

function notThere(pointer: string, targets: readonly Target[]): string {
  const kinds = new Set(targets.map(({ kind }) => kind))
  if (kinds.has('step')) return 'There is no such call at that step.'
  if (kinds.has('file')) return 'There is no such file to look at.'
  if (kinds.has('row')) return 'There is no such row to look at.'
  if (namesCall(pointer)) return 'There is no such call in this session.'
  return 'That is nothing that can be looked up.'
}
