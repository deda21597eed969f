import type { AgentQuestion } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { fitAnswer } from './permission-requests.ts'

const makeQuestion = (question: string, multi_select = false): AgentQuestion => ({
  question,
  header: null,
  options: [{ label: 'Yes', description: null }],
  multi_select,
})

describe('fitAnswer', () => {
  it('accepts a bare choice for a permission', () => {
    expect(fitAnswer([], { choice: 'allow' })).toEqual({ answer: { choice: 'allow' } })
    expect(fitAnswer([], { choice: 'deny' })).toEqual({ answer: { choice: 'deny' } })
    expect(fitAnswer([], { choice: 'allow', answers: { a: 'b' } })).toEqual({
      problems: [{ path: 'answers', reason: 'applies only to questions, and this is a permission request' }],
    })
  })

  it('takes one text per question in order and joins several answers', () => {
    const fit = fitAnswer([makeQuestion('One?'), makeQuestion('Many?', true)], {
      choice: 'allow',
      answers: { 'Many?': ['Yes', ' and no '], 'One?': 'Yes' },
    })
    expect(fit).toEqual({ answer: { choice: 'allow', answers: { 'One?': 'Yes', 'Many?': 'Yes, and no' } } })
  })

  it('refuses unanswered, empty and surplus answers', () => {
    const reasons = (answers: Record<string, string | string[]>) => {
      const fit = fitAnswer([makeQuestion('One?'), makeQuestion('__proto__')], { choice: 'allow', answers })
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
