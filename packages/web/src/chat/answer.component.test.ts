import type { StoredEvent } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import { eventually, page, userEvent } from '../testing/page.tsx'
import { answers, button, field, it, log, pick, sendButton, write } from './chat-page.test-kit.ts'

const HOSTILE = '<img src=x onerror="document.title=1">'

/** An answer with every Markdown element. */
const RICH = [
  '## What to do',
  '1. Read the **log**\n2. Change `rate.ts`',
  '```diff\n- const rate = Number(cell)\n+ const rate = read(cell)\n```',
  '| column | rows |\n|---|--:|\n| tax | 18,204 |',
  `See [the docs](https://example.com/docs), [this](javascript:alert(1)) and ${HOSTILE}`,
].join('\n\n')

const words = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `word${from + n} `).join('')

const shownWords = () =>
  answers()
    .last()
    .query()
    ?.textContent?.match(/word\d+/g) ?? []

/** All words up to this one, each once and in order. */
const upTo = (last: number) => Array.from({ length: last }, (_, n) => `word${n + 1}`)

describe('An answer', () => {
  it('renders streamed Markdown and never runs HTML in it', async ({ open, chat }) => {
    chat.onRun = (run) => run.say('## What to do\n\n1. Read')
    await open(`/chat?c=${chat.add().id}`)
    await write('What now?')
    await expect.element(answers().getByRole('heading', { name: 'What to do' })).toBeVisible()
    await expect.element(button('Stop')).toBeVisible()
    await expect.element(answers()).toHaveAttribute('aria-busy', 'true')
    chat.run.say(RICH.slice('## What to do\n\n1. Read'.length)).done()
    await expect.element(sendButton()).toBeVisible()
    const answer = answers()
    await expect
      .element(answer.getByRole('heading', { name: 'What to do' }))
      .toHaveAttribute('aria-level', '4')
    await expect.element(answer.getByRole('listitem')).toHaveLength(2)
    await expect.element(answer.getByRole('cell', { name: '18,204' })).toBeVisible()
    expect(answer.element().querySelector('pre .text-done')?.textContent).toContain(
      '+ const rate = read(cell)',
    )
    expect(answer.element().textContent).toContain(HOSTILE)
    await expect.element(answer.getByRole('link')).toHaveLength(1)
    expect(answer.element().querySelectorAll('img')).toHaveLength(0)
    expect(document.title).toBe('Chat · Panoptes')
    await expect.element(answer.getByRole('button', { name: 'Copy the code' })).toBeInTheDocument()
    const announced = page.getByRole('status').filter({ hasText: /^Jarvis: ## What to do/ })
    await expect.element(announced).toBeInTheDocument()
  })

  it('keeps its partial text after Escape, and the next message gets an answer', async ({
    open,
    chat,
    server,
  }) => {
    chat.onRun = (run) => run.say(words(1, 5))
    await open(`/chat?c=${chat.add().id}`)
    await pick('Model', /counts/)
    await write('Count.')
    await eventually(shownWords).toEqual(upTo(5))
    expect(chat.run.input).toEqual({ message: 'Count.', runtime: 'jarvis', model: 'local/counts' })
    await userEvent.keyboard('{Escape}')
    await expect.element(answers().getByText('stopped')).toBeVisible()
    expect(server.requestsTo('POST /api/conversations/chat-1/cancel')).toHaveLength(1)
    expect(shownWords()).toEqual(upTo(5))
    chat.onRun = (run) => run.say('It is empty there.').done()
    await write('And now?')
    await expect.element(answers().last().getByText('It is empty there.')).toBeVisible()
  })

  it('shows a running answer from its first word when the page opens', async ({ open, chat }) => {
    chat.onRun = (run) => run.say(words(1, 8))
    chat.begin(chat.add().id, { message: 'Count.' })
    await open('/chat?c=chat-1')
    await eventually(shownWords).toEqual(upTo(8))
    chat.run.say(words(9, 12)).done()
    await expect.element(sendButton()).toBeVisible()
    await eventually(shownWords).toEqual(upTo(12))
  })

  it('resumes after a lost connection without missing or repeated words', async ({ open, chat, server }) => {
    chat.onRun = (run) => run.say(words(1, 8))
    await open(`/chat?c=${chat.add().id}`)
    await write('Count.')
    await eventually(shownWords).toEqual(upTo(8))
    server.stream.isUp = false
    server.disconnect('GET /api/conversations/:id/stream')
    server.stream.drop()
    chat.run.cut()
    chat.run.say(words(9, 20))
    await expect.element(page.getByText(/^Disconnected for .* the answer may be out of date/)).toBeVisible()
    expect(shownWords()).toEqual(upTo(8))
    await expect.element(page.getByRole('alert')).toHaveLength(0)
    server.stream.isUp = true
    server.on('GET /api/conversations/:id/stream', (request) => chat.stream(request))
    await eventually(shownWords).toEqual(upTo(20))
    const resumed = server.requestsTo('GET /api/conversations/:id/stream').at(-1)
    expect(resumed?.headers.get('last-event-id')).toBe('run-1:2')
    chat.run.say(words(21, 30)).done()
    await expect.element(sendButton()).toBeVisible()
    await eventually(shownWords).toEqual(upTo(30))
  })

  it('reports that the server stopped, and Retry sends the message again', async ({ open, chat }) => {
    chat.onRun = (run) => run.say(words(1, 5))
    await open(`/chat?c=${chat.add().id}`)
    await write('Count.')
    await eventually(shownWords).toEqual(upTo(5))
    chat.run.fail('interrupted', 'Panoptes was ended before the answer was whole.')
    const failure = log().getByRole('alert')
    await expect.element(failure.getByText('Panoptes stopped')).toBeVisible()
    await expect
      .element(failure.getByText('The rest of this answer is lost. Retry to get a complete answer.'))
      .toBeVisible()
    expect(shownWords()).toEqual(upTo(5))
    chat.onRun = (run) => run.say('All of it.').done()
    await failure.getByRole('button', { name: 'Retry' }).click()
    await expect.element(answers().getByText('All of it.')).toBeVisible()
    expect(chat.run.input).toEqual({
      message: 'Count.',
      runtime: 'jarvis',
      replaces: 'run-1-user',
      files: [],
    })
    await expect.element(answers()).toHaveLength(1)
  })

  it('appears when the question was asked in another window or terminal', async ({ open, chat, server }) => {
    await open(`/chat?c=${chat.add().id}`)
    await expect.element(page.getByText('No messages yet.')).toBeVisible()
    chat.begin('chat-1', { message: 'From the terminal' })
    server.stream.send({ type: 'event', data: turn('chat-1') })
    await expect.element(answers().getByText('It is empty there.')).toBeVisible()
    await expect.element(page.getByRole('link', { name: /^From the terminal/ })).toBeVisible()
    expect(field().element()).toHaveValue('')
  })
})

/** The event that the store sends for a prompt in a conversation. */
const turn = (session_id: string): StoredEvent => ({
  v: 1,
  seq: 1,
  key: 'k1',
  ts: Date.now(),
  event: 'prompt',
  source: 'panoptes',
  host: 'workstation',
  session_id,
  agent_id: 'main',
  prompt_preview: 'From the terminal',
})
