import type { MoaTurn } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import {
  axeViolations,
  eventually,
  expectAccessible,
  it,
  page,
  pressNow,
  userEvent,
} from '../testing/page.tsx'
import { me } from '../testing/replies.ts'
import {
  ANSWER,
  acts,
  crowdedTurn,
  presetsReply,
  record,
  slot,
  slotsReply,
  turn,
  turnReply,
  turns,
} from './moa.test-kit.ts'
import { answerMoa, fakeRun, runParts, turnDiff } from './moa-server.test-kit.ts'

const block = (name: string) => page.getByRole('region', { name, exact: true })
const reference = (place: number) => block('References').getByRole('listitem').nth(place)
const openTurn = (open: (path: string) => Promise<void>, { id }: MoaTurn) => open(`/moa?turn=${id}`)

describe('A turn', () => {
  it('shows the input and output of every model and marks shared phrases', async ({ server, open }) => {
    answerMoa(server, { turns: [turn()] })
    await openTurn(open, turn())
    const answerBlock = block('Answer')
    await expect
      .element(
        answerBlock.getByText('A rolling deploy leaves old processes writing for minutes', { exact: true }),
      )
      .toBeVisible()
    await expect
      .element(answerBlock.getByText(/Similar wording does not prove that the answer used it\./))
      .toBeVisible()
    expect(answerBlock.element().querySelector('sup')?.textContent).toBe('A')
    await expect.element(reference(1).getByText(/Not in one step/)).toBeVisible()
    await expect.element(reference(0).getByText('Phrases shared with the answer: 38 %')).toBeVisible()
    const saw = block('What the aggregator saw')
    await saw.getByText('Guidance, added by MoA').click()
    await expect.element(saw.getByText(/^\[Mixture of Agents, preset review/)).toBeVisible()
    await saw.getByRole('button', { name: 'Raw' }).click()
    await expect.element(saw.getByText(/"messages"/).first()).toBeVisible()
    await expect.element(block('Last 50 turns of moa/review').getByText(/^p50/).first()).toBeVisible()
    await expect.element(block('Where they agree').getByText('3 of 4 agree')).toBeVisible()
  })

  it('shows its statistics and unknown costs as unknown', async ({ server, open }) => {
    answerMoa(server, { turns: [turn()] })
    await openTurn(open, turn())
    await expect.element(page.getByText('money, 1 slot unknown')).toBeVisible()
    const figures = [...document.querySelectorAll('dl[aria-label="Turn statistics"] dd')]
    expect(figures.map((one) => one.textContent)).toEqual(['9.4 s', '10 ms', '$0.22', '1 + 19'])
    expect([...reference(2).element().querySelectorAll('dd')].map((one) => one.textContent)).toContain('–')
  })

  it('shows model output as text only', async ({ server, open }) => {
    const hostile = '<img src=x onerror="document.title=1">'
    const reply = turnReply()
    const records = [record(reply.turn, 1, { output: hostile })]
    answerMoa(server, { replies: [{ ...reply, records, analysis: null }] })
    await openTurn(open, reply.turn)
    await expect.element(block('Answer').getByText(hostile)).toBeVisible()
    expect(document.querySelector('main img')).toBeNull()
    expect(document.title).toBe('MoA · Panoptes')
  })

  it('keeps the card of a failed reference with the reason', async ({ server, open }) => {
    const failed = slot({
      model: 'claude-haiku-4-5',
      first_token_at: null,
      usage: null,
      cost_micro_usd: null,
      output_chars: null,
      error: { class: 'auth', message: 'There is no such key.' },
    })
    const shaky = turn({ slots: [slot({ model: 'claude-sonnet-4-6' }), failed, acts(1, 2_100, 4_000)] })
    answerMoa(server, { replies: [turnReply(shaky)] })
    await openTurn(open, shaky)
    await expect.element(reference(1).getByText('key refused')).toBeVisible()
    await expect
      .element(
        reference(1)
          .getByText(/no such key/)
          .first(),
      )
      .toBeVisible()
    expect([...reference(1).element().querySelectorAll('dd')].map((one) => one.textContent)).toContain('–')
  })

  it('counts a tool loop as one turn and shows the unchanged prefix of a call', async ({ server, open }) => {
    const loop = turn({ iterations: 2, slots: [...turn().slots, acts(2, 9_500, 11_000)] })
    answerMoa(server, { turns: [loop] })
    await open(`/moa?session=${loop.session_id}`)
    await page.getByRole('row', { name: /Is it safe to drop/ }).click()
    await expect.element(page.getByText('1 + 1', { exact: true })).toBeVisible()
    const saw = block('What the aggregator saw')
    await expect.element(saw.getByText(/^The first [\d,]+ characters match the previous call/)).toBeVisible()
    await saw.getByRole('button', { name: 'Earlier call' }).click()
    await expect.element(block('Answer').getByText('Grep', { exact: true })).toBeVisible()
    const link = page.getByRole('link', { name: 'Show in Live' }).element()
    expect(decodeURIComponent(link.getAttribute('href') ?? '')).toBe(
      `/?session=panoptes~${loop.session_id}&at=${loop.started_at}`,
    )
  })

  it('supports keys for newer and older turns, and Escape closes it', async ({ server, open }) => {
    const all = turns(3).map((one, place) => ({ ...one, question: `question ${place}` }))
    const [newest, middle] = all
    if (!newest || !middle) throw new Error('too few turns')
    answerMoa(server, { turns: all })
    await openTurn(open, newest)
    await expect.element(page.getByRole('button', { name: 'Newer turn' })).toBeDisabled()
    await expect.element(page.getByRole('button', { name: 'Older turn' })).toBeEnabled()
    await userEvent.keyboard('[[')
    await expect.element(page.getByText('question 1')).toBeVisible()
    await expect.poll(() => location.search).toContain(middle.id)
    await expect.element(page.getByRole('button', { name: 'Newer turn' })).toBeEnabled()
    await userEvent.keyboard(']')
    await expect.element(page.getByText('question 0')).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByRole('grid', { name: 'Turns, newest first' })).toBeVisible()
    await userEvent.keyboard('jj{Enter}')
    await eventually(() => location.search).toContain(middle.id)
  })

  it('copies its answer with c', async ({ server, open, copied }) => {
    answerMoa(server, { turns: [turn()] })
    await openTurn(open, turn())
    await expect.element(block('Answer')).toBeVisible()
    await userEvent.keyboard('c')
    await expect.element(page.getByText('Copied the answer')).toBeVisible()
    expect(copied()).toBe(ANSWER)
  })

  it('reports an unknown turn id', async ({ server, open }) => {
    answerMoa(server)
    await open('/moa?turn=ffffffff')
    await expect.element(page.getByRole('alert').getByText(/There is no turn ffffffff/)).toBeVisible()
  })

  it('shows a failure only in its own card and retries only that card', async ({ server, open }) => {
    answerMoa(server, { turns: [turn()] })
    const problem = { detail: 'The store cannot be read.', next: 'See panoptes doctor.' }
    server.fail('GET /api/moa/slots', 500, problem)
    await openTurn(open, turn())
    const card = block('Last 50 turns of moa/review')
    await expect
      .element(card.getByRole('alert').getByText(/The store cannot be read\. See panoptes doctor\./))
      .toBeVisible()
    await expect.element(page.getByRole('alert')).toHaveLength(1)
    server.on('GET /api/moa/slots', slotsReply())
    pressNow(card.getByRole('button', { name: 'Try again' }))
    await expect.element(card.getByText(/^p50/).first()).toBeVisible()
  })
})

describe('A replay', () => {
  it('runs without one reference and is compared with its turn', async ({ server, open }) => {
    const run = fakeRun()
    const before = turn()
    const after = turn({ id: 'aaaa91bc-0d6f-4b21-9a53-6c1f5ce20a11', from: 'replay', replay_of: before.id })
    answerMoa(server, { turns: [after, before] })
    server.on('POST /api/moa/replay', run.answer)
    server.on('GET /api/moa/turns/:id/diff', turnDiff(before, after))
    await openTurn(open, before)
    await page.getByRole('button', { name: 'Replay with…' }).click()
    await page.getByRole('menuitem', { name: /^Without A \(/ }).click()
    await expect.element(block('Replay runs')).toBeVisible()
    await run.send(...runParts(after, 'Go ahead, nothing reads it.'))
    expect(server.requestsTo('POST /api/moa/replay').map(({ body }) => body)).toEqual([
      { turn: before.id, without: '1' },
    ])
    await run.end()
    const compared = block('Turn vs. replay')
    await expect.element(compared.getByText('Go ahead')).toBeVisible()
    await expect.element(compared.getByText('removed')).toBeVisible()
    await expect.element(compared.getByText('−$0.081')).toBeVisible()
    await expect.poll(() => location.search).toContain(`against=${after.id}`)
    expect(await axeViolations()).toEqual([])
  })

  it('is hidden from a viewer', async ({ server, open }) => {
    answerMoa(server, { turns: [turn()] })
    server.on('GET /api/me', me({ team: true, role: 'viewer', home: false }))
    await openTurn(open, turn())
    await expect.element(block('Answer')).toBeVisible()
    await eventually(() => page.getByRole('button', { name: 'Replay with…' }).elements().length).toBe(0)
  })
})

describe('A turn without recorded text', () => {
  it('shows its statistics and offers to record text', async ({ server, open }) => {
    const untraced = turn({ traced: false })
    answerMoa(server, {
      replies: [{ turn: untraced, records: [], replays: [], analysis: null }],
      presets: presetsReply({ save_traces: false }),
    })
    await openTurn(open, untraced)
    await expect
      .element(page.getByText(/Panoptes did not record the text of this turn\. The numbers are complete\./))
      .toBeVisible()
    await expect.element(page.getByText(/in ~\/\.panoptes\/moa-traces, with secrets removed\./)).toBeVisible()
    expect(page.getByRole('button', { name: 'Replay with…' }).elements()).toEqual([])
    await expect.element(reference(0).getByText('120 characters, not recorded')).toBeVisible()
    await page.getByRole('button', { name: 'Record text' }).click()
    await expect.element(page.getByText('Recording the text of new turns')).toBeVisible()
    expect(server.requestsTo('PUT /api/moa/traces').map(({ body }) => body)).toEqual([{ save: true }])
    await eventually(() => page.getByRole('button', { name: 'Record text' }).elements().length).toBe(0)
  })
})

describe('A crowded turn', () => {
  const crowded = crowdedTurn()
  const records = Array.from({ length: 20 }, (_, i) => record(crowded, i + 1, i < 19 ? { output: '' } : {}))
  const replies = [{ ...turnReply(crowded), records }]

  it('shows eight references and twenty calls and passes axe in both themes', async ({ server, open }) => {
    answerMoa(server, { turns: turns(200), replies })
    await openTurn(open, crowded)
    await expect.element(block('Answer')).toBeVisible()
    await expect.element(block('References').getByRole('listitem')).toHaveLength(8)
    await expect.element(block('Time per slot').getByRole('row')).toHaveLength(1 + 8 + 20)
    await expectAccessible()
  })

  it('fits a phone without scrolling the page sideways', async ({ server, open }) => {
    answerMoa(server, { turns: turns(200), replies })
    await open(`/moa?turn=${crowded.id}`, [390, 844])
    await expect.element(block('Answer')).toBeVisible()
    const size = ({ scrollWidth, scrollHeight }: Element) => [scrollWidth, scrollHeight]
    await eventually(() => size(document.documentElement)).toEqual([390, 844])
    expect(await axeViolations()).toEqual([])
  })
})
