import { setImmediate as others } from 'node:timers/promises'
import type { SharedPhrase, TurnAnalysis } from '@panoptes/schema'
import { pointsOf, type Said, sentencesOf } from './points.ts'
import { sharedPhrases, shareOf } from './shared-phrases.ts'
import { numbered, type Vocabulary } from './word-list.ts'

/** How the texts of a turn are alike. It tells of words, and proves nothing about where they are from. Others have their turn between any two texts. */
export async function analyse(answer: string, references: readonly (string | null)[]): Promise<TurnAnalysis> {
  const vocabulary: Vocabulary = new Map()
  const said = numbered(answer, vocabulary)
  const phrases: (readonly SharedPhrase[])[] = []
  const sentences: Said[] = []
  for (const [at, text] of references.entries()) {
    await others()
    phrases.push(text === null ? [] : sharedPhrases(said, numbered(text, vocabulary), at))
    await others()
    if (text !== null) sentences.push(...sentencesOf(text, at))
  }
  const points = await pointsOf(sentences, references.length)
  return {
    drew_on: phrases.map((own) => shareOf(said, own)),
    phrases: phrases.flat(),
    points: [...points],
    says: summary(points, references.filter((text) => text !== null).length),
  }
}

function summary(points: readonly TurnAnalysis['points'][number][], answered: number): string {
  const opposed = points.filter(({ stances }) => stances.includes('opposes')).length
  const most = Math.max(
    0,
    ...points.map(({ stances }) => stances.filter((stance) => stance === 'says').length),
  )
  if (answered < 2) return 'Nothing to compare'
  if (most < 2) return 'No two say the same'
  const against =
    opposed === 0 ? '' : `, ${opposed === 1 ? '1 point is' : `${opposed} points are`} contradicted`
  return `${most} of ${answered} agree${against}`
}
