import type { TurnAnalysis } from '@panoptes/schema'
import { pointsOf } from './points.ts'
import { sharedPhrases, shareOf } from './shared-phrases.ts'

/** How the texts of a turn are alike. It tells of words, and proves nothing about where they are from. */
export function analyse(answer: string, references: readonly (string | null)[]): TurnAnalysis {
  const phrases = references.map((text, at) => (text === null ? [] : sharedPhrases(answer, text, at)))
  const points = pointsOf(references)
  return {
    drew_on: phrases.map((own) => shareOf(answer, own)),
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
