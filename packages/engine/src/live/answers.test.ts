import type { AskedQuestion } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { fitAnswer } from './answers.ts'

const asked = (question: string, multi_select = false): AskedQuestion => ({
  question,
  header: null,
  options: [{ label: 'Yes', description: null }],
  multi_select,
})

describe('an answer', () => {
  it('to a permission is a choice alone', () => {
    expect(fitAnswer([], { choice: 'allow' })).toEqual({ answer: { choice: 'allow' } })
    expect(fitAnswer([], { choice: 'deny' })).toEqual({ answer: { choice: 'deny' } })
    expect(fitAnswer([], { choice: 'allow', answers: { a: 'b' } })).toEqual({
      problems: [{ path: 'answers', reason: 'is only for a question, and this is a permission' }],
    })
  })

  it('to questions has a text for each, in their order, several joined', () => {
    const fit = fitAnswer([asked('One?'), asked('Many?', true)], {
      choice: 'allow',
      answers: { 'Many?': ['Yes', ' and no '], 'One?': 'Yes' },
    })
    expect(fit).toEqual({ answer: { choice: 'allow', answers: { 'One?': 'Yes', 'Many?': 'Yes, and no' } } })
  })

  it('is refused where a question stays open, is answered with nothing or with too much', () => {
    const reasons = (answers: Record<string, string | string[]>) => {
      const fit = fitAnswer([asked('One?'), asked('__proto__')], { choice: 'allow', answers })
      return 'problems' in fit ? fit.problems.map(({ reason }) => reason) : []
    }
    expect(reasons({})).toEqual(['needs an answer', 'needs an answer'])
    expect(reasons({ 'One?': ' ', ['__proto__']: 'Yes' })).toEqual(['needs an answer'])
    expect(reasons({ 'One?': ['Yes', 'No'], ['__proto__']: 'Yes' })).toEqual(['takes one answer'])
    expect(reasons({ 'One?': 'x'.repeat(4_001), ['__proto__']: 'Yes' })).toEqual([
      'takes no more than 4000 characters',
    ])
  })
})
