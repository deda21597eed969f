import { describe, expect, it } from 'vitest'
import { questionsOf } from './questions.ts'

const question = {
  question: 'Which colour?',
  header: 'Colour',
  options: [{ label: 'Blue', description: 'cold', preview: '#00f' }, { label: 'Red' }],
  multiSelect: true,
}

describe('the questions of an agent', () => {
  it('are read with their options, beside the input as it came', () => {
    const input = { questions: [question], metadata: { source: 'plan' } }
    expect(questionsOf(input)).toEqual({
      questions: [
        {
          question: 'Which colour?',
          header: 'Colour',
          options: [
            { label: 'Blue', description: 'cold' },
            { label: 'Red', description: null },
          ],
          multi_select: true,
        },
      ],
      input,
    })
    expect(questionsOf({ questions: [{ question: 'Why?', options: [] }] })?.questions).toEqual([
      { question: 'Why?', header: null, options: [], multi_select: false },
    ])
  })

  it.each([
    ['nothing', undefined],
    ['no questions', { questions: [] }],
    ['another shape', { questions: 'later' }],
    ['two that answers could not tell apart', { questions: [question, question] }],
    [
      'more than anyone can answer',
      { questions: Array.from({ length: 9 }, (_, n) => ({ question: `${n}`, options: [] })) },
    ],
    ['endless text', { questions: [{ question: 'x'.repeat(4_001), options: [] }] }],
  ])('are left to the client where there is %s', (_, input) => {
    expect(questionsOf(input)).toBeUndefined()
  })
})
