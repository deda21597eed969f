import type { AskedQuestion } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { answersAtOnce, answersOf, NO_DRAFT, pick, type } from './answers.ts'

const asked = (question: string, multi_select: boolean): AskedQuestion => ({
  question,
  header: null,
  multi_select,
  options: ['Red', 'Blue', 'Green'].map((label) => ({ label, description: null })),
})
const one = asked('Which colour?', false)
const many = asked('Which sizes?', true)

describe('answers to questions', () => {
  it('are whole when every question has one', () => {
    const half = pick(NO_DRAFT, one, 'Blue')
    expect(answersOf([one, many], half)).toBeNull()
    expect(answersOf([one, many], pick(half, many, 'Red'))).toEqual({
      'Which colour?': ['Blue'],
      'Which sizes?': ['Red'],
    })
  })

  it('hold one option or own words where one answer counts', () => {
    const blue = pick(pick(NO_DRAFT, one, 'Red'), one, 'Blue')
    expect(answersOf([one], blue)).toEqual({ 'Which colour?': ['Blue'] })
    const own = type(blue, one, ' mauve ')
    expect(answersOf([one], own)).toEqual({ 'Which colour?': ['mauve'] })
    expect(answersOf([one], pick(own, one, 'Red'))).toEqual({ 'Which colour?': ['Red'] })
    expect(answersOf([one], pick(blue, one, 'Blue'))).toBeNull()
    expect(answersOf([one], type(NO_DRAFT, one, '  '))).toBeNull()
  })

  it('hold several options in their order, and own words beside them', () => {
    const both = pick(pick(NO_DRAFT, many, 'Green'), many, 'Red')
    expect(answersOf([many], both)).toEqual({ 'Which sizes?': ['Red', 'Green'] })
    expect(answersOf([many], type(both, many, 'tiny'))).toEqual({ 'Which sizes?': ['Red', 'Green', 'tiny'] })
    expect(answersOf([many], pick(both, many, 'Red'))).toEqual({ 'Which sizes?': ['Green'] })
  })

  it('go with one press where there is one question for one answer', () => {
    expect([[one], [many], [one, many]].map(answersAtOnce)).toEqual([true, false, false])
  })
})
