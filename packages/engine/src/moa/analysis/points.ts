import { setImmediate as others } from 'node:timers/promises'
import type { TurnAnalysis } from '@panoptes/schema'
import { looked, wordsOf } from './word-list.ts'

type Point = TurnAnalysis['points'][number]
type Stance = Point['stances'][number]

const MOST_SENTENCES = 40
const MOST_POINTS = 8
const LONGEST = 120
/** Of a sentence that has more only the first are looked at. */
const MOST_WORDS = 60
const MOST_PARTS = 2_000
/** Sentences that are compared with all others before somebody else has his turn. */
const AT_ONCE = 20
/** Two sentences that share this part of their words speak of the same thing. */
const ALIKE = 0.34

const EMPTY: ReadonlySet<string> = new Set(
  'a an the and or but if then so of to in on at by for with from as is are was were be been it its this that these those you your we our they their i he she will would should could can may might must do does did have has had there here what which who when how why all any some more most very just also only into than them him her his up out over after before about'.split(
    ' ',
  ),
)
const AGAINST: ReadonlySet<string> = new Set(
  "not no never without avoid cannot can't don't doesn't didn't isn't aren't wasn't won't shouldn't wouldn't mustn't unsafe wrong incorrect false nobody nothing neither nor".split(
    ' ',
  ),
)

/** A sentence, and who said it. */
export interface Said {
  readonly reference: number
  readonly text: string
  readonly words: ReadonlySet<string>
  readonly isAgainst: boolean
}

/** What the references speak of, what most of them speak of first: who says so, who says the opposite, who is silent. */
export async function pointsOf(all: readonly Said[], references: number): Promise<readonly Point[]> {
  const groups: Said[][] = []
  for (const [at, said] of all.entries()) {
    if (at % AT_ONCE === 0) await others()
    const group = groups.find(([first]) => first !== undefined && alike(first.words, said.words) >= ALIKE)
    if (group) group.push(said)
    else groups.push([said])
  }
  return groups
    .map((group) => pointOf(group, references))
    .sort((a, b) => spoken(b) - spoken(a))
    .slice(0, MOST_POINTS)
}

const spoken = ({ stances }: Point): number => stances.filter((stance) => stance !== 'silent').length

/** What a reference said, sentence by sentence; of a long text the first. */
export function sentencesOf(text: string, reference: number): readonly Said[] {
  const sentences: Said[] = []
  for (const part of looked(text).split(/(?<=[.!?。])\s+|\n+/, MOST_PARTS)) {
    const words = wordsOf(part)
      .slice(0, MOST_WORDS)
      .map((word) => word.text)
    const full = words.filter((word) => !EMPTY.has(word) && !AGAINST.has(word))
    if (full.length < 3) continue
    const isAgainst = words.filter((word) => AGAINST.has(word)).length % 2 === 1
    const line = part.replace(/^[\s#*>-]+/, '').trim()
    const short = line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line
    sentences.push({ reference, text: short, words: new Set(full.map(stem)), isAgainst })
    if (sentences.length >= MOST_SENTENCES) break
  }
  return sentences
}

/** `writes`, `writing` and `write` are one word here. */
const stem = (word: string): string => (word.length > 4 ? word.replace(/(?:ing|ed|es|s|e)$/, '') : word)

function alike(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0
  for (const word of a) if (b.has(word)) both += 1
  return both / (a.size + b.size - both)
}

function pointOf(group: readonly Said[], references: number): Point {
  const isAgainst = group[0]?.isAgainst ?? false
  const stances = Array.from({ length: references }, (_, at): Stance => {
    const own = group.filter(({ reference }) => reference === at)
    if (own.length === 0) return 'silent'
    return own.some((said) => said.isAgainst === isAgainst) ? 'says' : 'opposes'
  })
  return { text: group[0]?.text ?? '', stances }
}
