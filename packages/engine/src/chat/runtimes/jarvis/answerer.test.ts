import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { value } from '../conformance-environment.ts'
import { ask, endOf, type JarvisLab, openJarvisLab, progressIn } from './lab.test-kit.ts'

let lab: JarvisLab
beforeAll(async () => {
  lab = await openJarvisLab()
})
afterAll(() => lab.close())
beforeEach(() => void lab.model.requests.splice(0))

describe('answerer of Jarvis', () => {
  it('is the requested model', async () => {
    const chat = lab.open()
    lab.plays({ text: 'I.' })
    const { id } = await ask(chat, 'Who?', { model: 'local/other' })
    expect(lab.model.requests[0]?.model).toBe('other')
    expect(value(await chat.get(id)).messages.at(-1)?.model).toBe('local/other')
    await ask(chat, 'Who?', { model: 'bare' })
    expect(lab.model.requests[1]?.model).toBe('bare')
  })

  it('may be a preset, whose references are shown, counted and priced', async () => {
    const chat = lab.open()
    lab.model.answer(({ model }) => ({ text: model === 'm' ? 'All agree.' : `advice of ${model}` }))
    const { text, events } = await ask(chat, 'Who?', { model: 'moa/pair' })
    expect(text).toBe('All agree.')
    expect(lab.model.requests.map(({ model }) => model).toSorted()).toEqual(['a', 'b', 'm'])
    const advisers = progressIn(events, 'subagent')
    expect(advisers.filter(({ status }) => status === 'completed')).toHaveLength(2)
    expect(endOf(events)).toMatchObject({ usage: { input: 30, output: 15 }, cost: { usd: 0.00006 } })
  })

  it('may be missing, which is explained to the user', async () => {
    const chat = lab.open({ config: null, providers: nobodys() })
    const { events } = await ask(chat, 'Who?')
    expect(endOf(events)).toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('config.yaml'),
    })
    const preset = await ask(lab.open(), 'Who?', { model: 'moa/none' })
    expect(endOf(preset.events)).toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('none'),
    })
  })

  it('gets the earlier conversation as it was sent then, and sees pictures', async () => {
    const chat = lab.open()
    lab.plays({ text: 'One.' }, { text: 'Two.' })
    const { id } = await ask(chat, 'First?')
    await ask(chat, 'Second?', { id, files: [{ name: 'a.png', media_type: 'image/png', data: 'aGk=' }] })
    const [first, second] = lab.model.requests.map(({ messages }) => messages)
    expect(JSON.stringify(second?.slice(0, first?.length))).toBe(JSON.stringify(first))
    expect(second?.at(-1)?.content).toEqual([
      { type: 'text', text: 'Second?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
    ])
  })
})

const nobodys = () => ({
  endpoints: [],
  get: () => ({ ok: false as const, code: 'not_found' as const, message: 'There is no provider.' }),
  contextWindow: () => null,
  isLocal: () => false,
  secrets: () => [],
})
