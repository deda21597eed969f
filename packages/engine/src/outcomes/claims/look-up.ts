import type { ClaimCheck, Evidence } from '@panoptes/schema'
import { parseJson } from '@panoptes/schema/json'
import { short } from '../tool-calls/quote.ts'
import { foundIn, type MarkedClaim, open, otherThan } from './call-verdict.ts'
import { type Claimed, fits } from './claim-number.ts'
import { type Digesting, digestText, MOST_SOME } from './digest.ts'
import type { Figure } from './figures.ts'
import type { LookedFile, Looking } from './file-lookup.ts'
import type { Target } from './pointer.ts'

export interface LookedUp {
  readonly check: ClaimCheck
}

interface Pointing extends MarkedClaim {
  readonly targets: readonly Target[]
  readonly calls: unknown
}

interface Options {
  readonly looking: Looking
  readonly cwd: string | null
  readonly digesting: Digesting
}

/** The maximum number of files and journals opened per session. */
const MOST_FILES = 200
const MOST_JOURNALS = 20
const MOST_LINE = 65_536
const OWN = /^(?:agent-toolstats|numeric-claims)(?:\.jsonl)?$/

type FileTarget = Extract<Target, { kind: 'file' }>
type RowTarget = Extract<Target, { kind: 'row' }>
interface LookupRequest<T> {
  readonly place: number
  readonly marked: MarkedClaim
  readonly target: T
}

/**
 * Checks claims that name no call against files and journals; each file is read once for all
 * claims.
 */
export async function lookUp(
  pointing: readonly Pointing[],
  { looking, cwd, digesting }: Options,
): Promise<ReadonlyMap<number, LookedUp>> {
  const answers = new Map<number, LookedUp>()
  const rows = collectRequests(pointing, (target) => target.kind === 'row')
  const journals = Map.groupBy(rows, ({ target }) => target.journal)
  for (const [name, of] of [...journals].slice(0, MOST_JOURNALS)) {
    const lines = await looking.journal(name)
    if (lines !== undefined) await lookIntoJournal(lines, of, digesting, answers)
  }
  const files = collectRequests(pointing, (target) => target.kind === 'file')
  const paths = Map.groupBy(files, ({ target }) => target.path)
  for (const [path, of] of [...paths].slice(0, MOST_FILES)) {
    const open = of.filter(({ place }) => !answers.has(place))
    const file = open.length === 0 ? undefined : await looking.file(path, cwd)
    if (file !== undefined) lookIntoFile(file, open, digesting, answers)
  }
  return answers
}

function collectRequests<K extends Target>(
  pointing: readonly Pointing[],
  is: (target: Target) => target is K,
): readonly LookupRequest<K>[] {
  return pointing.flatMap((marked, place) => {
    if (marked.calls !== undefined) return []
    const target = marked.targets.find(is)
    return target === undefined ? [] : [{ place, marked, target }]
  })
}

async function lookIntoJournal(
  lines: AsyncIterable<string>,
  rows: readonly LookupRequest<RowTarget>[],
  digesting: Digesting,
  answers: Map<number, LookedUp>,
): Promise<void> {
  const byNumber = Map.groupBy(rows, ({ target }) => target.row)
  const byId = new Map([...byNumber].filter(([row]) => typeof row === 'string'))
  let number = 0
  for await (const line of lines) {
    number += 1
    const of = [
      ...(byNumber.get(number) ?? []),
      ...(byId.size === 0 ? [] : readRowIds(line).flatMap((id) => byId.get(id) ?? [])),
    ]
    if (of.length === 0) continue
    const digest = digestText(line.slice(0, MOST_LINE), digesting, false)
    for (const { place, marked, target } of of) {
      // Rows of our own journals move up when a session is forgotten, so a different row is no
      // contradiction.
      const unless = OWN.test(target.journal) && target.row === number ? 'its rows may have moved' : undefined
      answers.set(place, { check: judgedByLine(marked, digest, { quote: line, what: 'row', unless }) })
    }
  }
}

/** The keys of a row. */
function readRowIds(line: string): readonly string[] {
  try {
    const row: unknown = parseJson(line)
    if (typeof row !== 'object' || row === null) return []
    const { agent_id, id, name } = row as Readonly<Record<string, unknown>>
    return [...new Set([agent_id, id, name].filter((each) => typeof each === 'string'))]
  } catch {
    return []
  }
}

function lookIntoFile(
  { text, changed_at }: LookedFile,
  files: readonly LookupRequest<FileTarget>[],
  digesting: Digesting,
  answers: Map<number, LookedUp>,
): void {
  const whole = files.some(({ target }) => target.line === undefined)
    ? digestText(text, digesting, false)
    : undefined
  const lines = linesAt(text, new Set(files.map(({ target }) => target.line ?? 0)))
  for (const { place, marked, target } of files) {
    const unless = changed_at <= marked.claim.ts ? undefined : 'the file changed since'
    const line = target.line === undefined ? undefined : lines.get(target.line)
    if (target.line === undefined && whole !== undefined) {
      answers.set(place, { check: judgedByFile(marked, whole) })
    } else if (line === undefined) {
      answers.set(place, { check: open(`That file has no line ${target.line}.`) })
    } else {
      const digest = digestText(line, digesting, false)
      answers.set(place, { check: judgedByLine(marked, digest, { quote: line, what: 'line', unless }) })
    }
  }
}

function linesAt(text: string, wanted: ReadonlySet<number>): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  let number = 0
  for (let at = 0; at < text.length && found.size < wanted.size; ) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline
    number += 1
    if (wanted.has(number)) found.set(number, text.slice(at, Math.min(end, at + MOST_LINE)).trimEnd())
    at = end + 1
  }
  return found
}

type Digest = ReturnType<typeof digestText>

interface Line {
  readonly quote: string
  readonly what: 'line' | 'row'
  /** Why a different number is no contradiction. */
  readonly unless: string | undefined
}

/**
 * A line or row confirms a claim by its number. A named line of a file can also contradict it, as a
 * call can.
 */
function judgedByLine(marked: MarkedClaim, digest: Digest, { quote, what, unless }: Line): ClaimCheck {
  const evidence = toEvidence(marked, quote)
  if (marked.claimed === undefined) return { verdict: 'holds', says: `That ${what} exists`, evidence }
  const found = foundIn(marked, digest)
  if (found !== undefined) return { verdict: 'holds', says: `That ${what} says ${found.numbers}`, evidence }
  const { claimed } = marked
  const within = digest.some.find(
    ({ figure }) => isOfKind(claimed, figure) && fits(claimed, inItsUnit(claimed, figure)),
  )
  if (within !== undefined) return { verdict: 'holds', says: `That ${what} says ${within.text}`, evidence }
  const says = `That ${what} does not say ${claimed.text}`
  const other = what === 'row' ? onlyOther(claimed, digest) : otherThan(claimed, digest)
  if (!other?.isSame || claimed.bound !== undefined || claimed.isDoubtful) return open(says, evidence)
  if (unless !== undefined) return open(`${says}; ${unless}`, evidence)
  return { verdict: 'fails', says, evidence }
}

/**
 * Returns the only number of a row that could be the claimed one: with the same kind of unit, or
 * without any.
 */
function onlyOther({ figure }: Claimed, { some }: Digest): { readonly isSame: boolean } | undefined {
  const alike = some.filter(({ figure: other, isLabel }) => other.kind === figure.kind && !isLabel)
  return some.length < MOST_SOME && alike.length === 1 ? { isSame: true } : undefined
}

/** A number without a unit may have any. */
const isOfKind = ({ figure }: Claimed, other: Figure): boolean => other.kind === figure.kind || !other.hasUnit
const inItsUnit = ({ figure }: Claimed, other: Figure): number =>
  other.kind === figure.kind ? other.value : other.face * (figure.face === 0 ? 1 : figure.value / figure.face)

function judgedByFile(stated: MarkedClaim, digest: Digest): ClaimCheck {
  if (stated.claimed === undefined) return { verdict: 'holds', says: 'That file exists', evidence: null }
  const found = foundIn(stated, digest)
  if (found === undefined) return open(`That file does not say ${stated.claimed.text}`)
  return {
    verdict: 'holds',
    says: `${found.numbers} in that file`,
    evidence: toEvidence(stated, found.quote),
  }
}

/** There is no message to link to. */
const toEvidence = ({ claim }: MarkedClaim, quote: string): Evidence => ({
  source: claim.source,
  session_id: claim.session_id,
  agent_id: claim.agent_id,
  n: null,
  tool_use_id: null,
  quote: short(quote),
})
