import type { SessionRecord } from '@panoptes/engine/sources'
import type { Account, Claim, ClaimCheck } from '@panoptes/schema'
import { normalizeToolName } from '../tool-calls/tools.ts'
import { judgedByCall, type MarkedClaim, open } from './call-verdict.ts'
import { claimedIn, Sought } from './claim-number.ts'
import { compareEstimates } from './compare.ts'
import { Measured } from './estimate-measurement.ts'
import { type Estimated, estimatedIn } from './estimate-value.ts'
import type { Looking } from './file-lookup.ts'
import { type LookedUp, lookUp } from './look-up.ts'
import { namesCall, parseTargets, type Target } from './pointer.ts'
import { type PointedCall, PointedCalls } from './referenced-calls.ts'

export interface Checking {
  readonly account: Account
  /** Reads the session again from its beginning. */
  readonly reread: () => AsyncIterable<SessionRecord>
  readonly looking: Looking
}

interface Pointing extends MarkedClaim {
  readonly targets: readonly Target[]
  /** The calls it names that were made by the time of the claim. */
  calls: { readonly target: Target; readonly calls: readonly PointedCall[] } | undefined
}

/**
 * Adds to each claim what the session, files and journals say about it. The session is read a
 * second time.
 */
export async function checkClaims({ account, reread, looking }: Checking): Promise<Account> {
  const tools = new Set(
    account.agents.flatMap(({ tool_stats }) => Object.keys(tool_stats).map(normalizeToolName)),
  )
  const sought = new Sought()
  const nouns = new Set<string>()
  const pointing = account.claims.map((claim) => toPointing(claim, tools, sought, nouns))
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
    check: judgeClaim(each, calls, lookedUp.get(place)),
  }))
  return { ...account, claims: [...compareEstimates(checked, estimates, measured.took)] }
}

/** Estimates are based on similar work, so what they point to does not measure them. */
function toPointing(claim: Claim, tools: ReadonlySet<string>, sought: Sought, nouns: Set<string>): Pointing {
  const isEstimate = claim.evidence_tier === 'ESTIMATE-HTC'
  const claimed = claimedIn(claim.value)
  if (claimed?.noun !== undefined) nouns.add(claimed.noun)
  return {
    claim,
    claimed,
    marks: claimed === undefined || isEstimate ? [] : sought.add(claimed.figure, claimed.noun !== undefined),
    besideMarks: isEstimate ? [] : (claimed?.beside ?? []).map(({ figure }) => sought.add(figure, true)),
    targets: isEstimate ? [] : parseTargets(claim.pointer, tools),
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

/** Reads the session and returns its agent's working folder. */
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
      if (estimated !== undefined) measured.addEstimate(place, estimated, message)
      each.calls = namedCalls(each, calls)
    }
    calls.saw(message, n)
    if (message.state === 'active' || message.state === 'compacted') measured.saw(message, n)
    n += 1
  }
  return null
}

function namedCalls({ claim, targets }: Pointing, calls: PointedCalls): Pointing['calls'] {
  for (const target of targets) {
    const found = calls.at(claim.agent_id, target)
    if (found.length > 0) return { target, calls: found }
  }
  return undefined
}

/** Another agent's call may be reported after the claim although it was made before. */
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

function judgeClaim(each: Pointing, calls: PointedCalls, lookedUp: LookedUp | undefined): ClaimCheck {
  const { claim, targets } = each
  if (claim.evidence_tier === 'ESTIMATE-HTC') return open('There is no measurement yet.')
  if (targets.some(({ kind }) => kind === 'url')) return open('Panoptes does not fetch web addresses.')
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

/** If none of several calls confirms a claim, a failure of one of them proves nothing. */
const worst = (checks: readonly ClaimCheck[]): ClaimCheck =>
  checks.every(({ verdict }) => verdict === 'fails')
    ? (checks[0] as ClaimCheck)
    : open('None of the calls that the evidence names confirms the claim.', checks[0]?.evidence ?? null)

function notThere(pointer: string, targets: readonly Target[]): string {
  const kinds = new Set(targets.map(({ kind }) => kind))
  if (kinds.has('step')) return 'That step has no such call.'
  if (kinds.has('file')) return 'Panoptes cannot find that file.'
  if (kinds.has('row')) return 'Panoptes cannot find that row.'
  if (namesCall(pointer)) return 'This session has no such call.'
  return 'Panoptes cannot look up this evidence.'
}
