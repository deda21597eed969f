import type { AgentQuestion } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { answersAtOnce, collectAnswers, NO_DRAFT, pick, type } from './answers.ts'

const asked = (question: string, multi_select: boolean): AgentQuestion => ({
  question,
  header: null,
  multi_select,
  options: ['Red', 'Blue', 'Green'].map((label) => ({ label, description: null })),
})
const one = asked('Which color?', false)
const many = asked('Which sizes?', true)

describe('answers to questions', () => {
  it('are complete when every question has one', () => {
    const half = pick(NO_DRAFT, one, 'Blue')
    expect(collectAnswers([one, many], half)).toBeNull()
    expect(collectAnswers([one, many], pick(half, many, 'Red'))).toEqual({
      'Which color?': ['Blue'],
      'Which sizes?': ['Red'],
    })
  })

  it('contain one option or typed text for a single choice', () => {
    const blue = pick(pick(NO_DRAFT, one, 'Red'), one, 'Blue')
    expect(collectAnswers([one], blue)).toEqual({ 'Which color?': ['Blue'] })
    const own = type(blue, one, ' mauve ')
    expect(collectAnswers([one], own)).toEqual({ 'Which color?': ['mauve'] })
    expect(collectAnswers([one], pick(own, one, 'Red'))).toEqual({ 'Which color?': ['Red'] })
    expect(collectAnswers([one], pick(blue, one, 'Blue'))).toBeNull()
    expect(collectAnswers([one], type(NO_DRAFT, one, '  '))).toBeNull()
  })

  it('contain several options in order, and typed text after them', () => {
    const both = pick(pick(NO_DRAFT, many, 'Green'), many, 'Red')
    expect(collectAnswers([many], both)).toEqual({ 'Which sizes?': ['Red', 'Green'] })
    expect(collectAnswers([many], type(both, many, 'tiny'))).toEqual({
      'Which sizes?': ['Red', 'Green', 'tiny'],
    })
    expect(collectAnswers([many], pick(both, many, 'Red'))).toEqual({ 'Which sizes?': ['Green'] })
  })

  it('are sent with one press only for a single question with a single choice', () => {
    expect([[one], [many], [one, many]].map(answersAtOnce)).toEqual([true, false, false])
  })
})
