import type { ClaimCheck, Evidence } from '@panoptes/schema'
import { short } from '../ran/quote.ts'
import { type Claimed, fits } from './claimed.ts'
import { type Digesting, digestOf, MOST_SOME } from './digest.ts'
import type { Figure } from './figures.ts'
import { foundIn, open, otherThan, type Stated } from './judge.ts'
import type { LookedFile, Looking } from './looking.ts'
import type { Target } from './pointer.ts'

export interface LookedUp {
  readonly check: ClaimCheck
}

interface Pointing extends Stated {
  readonly targets: readonly Target[]
  readonly calls: unknown
}

interface Options {
  readonly looking: Looking
  readonly cwd: string | null
  readonly digesting: Digesting
}

/** Files and journals that are opened for one session. */
const MOST_FILES = 200
const MOST_JOURNALS = 20
const MOST_LINE = 65_536
const OWN = /^(?:agent-toolstats|numeric-claims)(?:\.jsonl)?$/

type FileTarget = Extract<Target, { kind: 'file' }>
type RowTarget = Extract<Target, { kind: 'row' }>
interface Asked<T> {
  readonly place: number
  readonly stated: Stated
  readonly target: T
}

/** What files and journals say of claims that name no call; each is read once for all of them. */
export async function lookUp(
  pointing: readonly Pointing[],
  { looking, cwd, digesting }: Options,
): Promise<ReadonlyMap<number, LookedUp>> {
  const answers = new Map<number, LookedUp>()
  const rows = asked(pointing, (target) => target.kind === 'row')
  const journals = Map.groupBy(rows, ({ target }) => target.journal)
  for (const [name, of] of [...journals].slice(0, MOST_JOURNALS)) {
    const lines = await looking.journal(name)
    if (lines !== undefined) await lookIntoJournal(lines, of, digesting, answers)
  }
  const files = asked(pointing, (target) => target.kind === 'file')
  const paths = Map.groupBy(files, ({ target }) => target.path)
  for (const [path, of] of [...paths].slice(0, MOST_FILES)) {
    const open = of.filter(({ place }) => !answers.has(place))
    const file = open.length === 0 ? undefined : await looking.file(path, cwd)
    if (file !== undefined) lookIntoFile(file, open, digesting, answers)
  }
  return answers
}

function asked<K extends Target>(
  pointing: readonly Pointing[],
  is: (target: Target) => target is K,
): readonly Asked<K>[] {
  return pointing.flatMap((stated, place) => {
    if (stated.calls !== undefined) return []
    const target = stated.targets.find(is)
    return target === undefined ? [] : [{ place, stated, target }]
  })
}

async function lookIntoJournal(
  lines: AsyncIterable<string>,
  rows: readonly Asked<RowTarget>[],
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
      ...(byId.size === 0 ? [] : idsOf(line).flatMap((id) => byId.get(id) ?? [])),
    ]
    if (of.length === 0) continue
    const digest = digestOf(line.slice(0, MOST_LINE), digesting, false)
    for (const { place, stated, target } of of) {
      // Rows of our own journals move up when a session is forgotten.
      const unless =
        OWN.test(target.journal) && target.row === number ? 'rows of it may have moved' : undefined
      answers.set(place, { check: judgedByLine(stated, digest, { quote: line, what: 'row', unless }) })
    }
  }
}

/** What a row goes by. */
function idsOf(line: string): readonly string[] {
  try {
    const row: unknown = JSON.parse(line)
    if (typeof row !== 'object' || row === null) return []
    const { agent_id, id, name } = row as Readonly<Record<string, unknown>>
    return [...new Set([agent_id, id, name].filter((each) => typeof each === 'string'))]
  } catch {
    return []
  }
}

function lookIntoFile(
  { text, changed_at }: LookedFile,
  files: readonly Asked<FileTarget>[],
  digesting: Digesting,
  answers: Map<number, LookedUp>,
): void {
  const whole = files.some(({ target }) => target.line === undefined)
    ? digestOf(text, digesting, false)
    : undefined
  const lines = linesAt(text, new Set(files.map(({ target }) => target.line ?? 0)))
  for (const { place, stated, target } of files) {
    const unless = changed_at <= stated.claim.ts ? undefined : 'the file changed since'
    const line = target.line === undefined ? undefined : lines.get(target.line)
    if (target.line === undefined && whole !== undefined) {
      answers.set(place, { check: judgedByFile(stated, whole) })
    } else if (line === undefined) {
      answers.set(place, { check: open(`That file has no line ${target.line}.`) })
    } else {
      const digest = digestOf(line, digesting, false)
      answers.set(place, { check: judgedByLine(stated, digest, { quote: line, what: 'line', unless }) })
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

type Digest = ReturnType<typeof digestOf>

interface Line {
  readonly quote: string
  readonly what: 'line' | 'row'
  /** Why it is no contradiction though it has another number. */
  readonly unless: string | undefined
}

/** A line or row bears a claim out by its number. A line of a file is where something stands: it contradicts as a call does. */
function judgedByLine(stated: Stated, digest: Digest, { quote, what, unless }: Line): ClaimCheck {
  const evidence = evidenceOf(stated, quote)
  if (stated.claimed === undefined) return { verdict: 'holds', says: `That ${what} is there`, evidence }
  const found = foundIn(stated, digest)
  if (found !== undefined) return { verdict: 'holds', says: `That ${what} says ${found.numbers}`, evidence }
  const { claimed } = stated
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

/** The one number of a row that can be what is claimed: with the same kind of unit, or without one as it is. */
function onlyOther({ figure }: Claimed, { some }: Digest): { readonly isSame: boolean } | undefined {
  const alike = some.filter(({ figure: other, isLabel }) => other.kind === figure.kind && !isLabel)
  return some.length < MOST_SOME && alike.length === 1 ? { isSame: true } : undefined
}

/** A number without a unit may be of any. */
const isOfKind = ({ figure }: Claimed, other: Figure): boolean => other.kind === figure.kind || !other.hasUnit
const inItsUnit = ({ figure }: Claimed, other: Figure): number =>
  other.kind === figure.kind ? other.value : other.face * (figure.face === 0 ? 1 : figure.value / figure.face)

function judgedByFile(stated: Stated, digest: Digest): ClaimCheck {
  if (stated.claimed === undefined) return { verdict: 'holds', says: 'That file is there', evidence: null }
  const found = foundIn(stated, digest)
  if (found === undefined) return open(`That file does not say ${stated.claimed.text}`)
  return {
    verdict: 'holds',
    says: `${found.numbers} in that file`,
    evidence: evidenceOf(stated, found.quote),
  }
}

/** There is no message to lead to. */
const evidenceOf = ({ claim }: Stated, quote: string): Evidence => ({
  source: claim.source,
  session_id: claim.session_id,
  agent_id: claim.agent_id,
  n: null,
  tool_use_id: null,
  quote: short(quote),
})
