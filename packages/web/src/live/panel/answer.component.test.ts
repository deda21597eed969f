import type { AgentQuestion, AgentRequest } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import { emulateTouch } from '../../testing/browser.ts'
import type { FakeServer } from '../../testing/fake-server.ts'
import { expectAccessible, it, page, userEvent } from '../../testing/page.tsx'
import { me } from '../../testing/replies.ts'
import { agentPath, LiveServer, needs, PHONE } from '../live-page.test-kit.ts'

const option = (label: string, description: string | null = null) => ({ label, description })
const color: AgentQuestion = {
  question: 'Which color?',
  header: 'Color',
  options: [option('Red', 'warm'), option('Blue', 'cold')],
  multi_select: false,
}
const sizes: AgentQuestion = {
  question: 'Which sizes?',
  header: 'Sizes',
  options: [option('Small'), option('Large')],
  multi_select: true,
}

/** A server where `writer` waits for an answer and continues after it. */
function serveRequest(server: FakeServer, change: Partial<AgentRequest> = {}): LiveServer {
  const live = new LiveServer(server)
  live.requests = [
    {
      request_id: 'q1',
      source: 'claude-code',
      session_id: 's1',
      agent_id: 'w',
      tool: 'Bash',
      input_preview: 'npm test',
      since: live.day.start + 20_000,
      expires_at: Date.now() + 120_000,
      choices: ['allow', 'deny'],
      questions: [],
      ...change,
    },
  ]
  server.on('POST /api/agents/s1/w/answer', () => {
    live.requests = []
    live.tell([
      { ...live.agent('w'), state: 'working', wait_reason: null, wait_since: null, last_at: Date.now() },
    ])
    return { ok: true }
  })
  return live
}

const asking = (...questions: AgentQuestion[]): Partial<AgentRequest> => ({
  tool: 'AskUserQuestion',
  input_preview: null,
  questions,
})

const card = page.getByRole('region', { name: 'Waits for you' })
const answers = (server: FakeServer) =>
  server.requestsTo('POST /api/agents/s1/w/answer').map(({ body }) => body)

/** Presses Tab until a button or field with this name has the focus. */
async function tabTo(name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    const at = document.activeElement
    const text = at?.textContent || at?.getAttribute('placeholder') || ''
    if (at?.matches('button, input') && text.includes(name)) return
    await userEvent.tab()
  }
  throw new Error(`Tab does not lead to ${name}`)
}

describe('a permission request of an agent', () => {
  it('is allowed with a click', async ({ server, open }) => {
    serveRequest(server)
    await open(agentPath('w'))
    await expect.element(card.getByText('Asks to run Bash npm test')).toBeVisible()
    await card.getByRole('button', { name: 'Allow once' }).click()
    await expect.element(page.getByText('Allowed once')).toBeVisible()
    await expect.element(page.getByRole('region', { name: 'Working' })).toBeVisible()
    expect(answers(server)).toEqual([{ request_id: 'q1', choice: 'allow' }])
  })

  it('is denied with the keyboard', async ({ server, open }) => {
    serveRequest(server)
    await open(agentPath('w'))
    await expect.element(card.getByRole('button', { name: 'Deny' })).toBeVisible()
    ;(card.getByRole('button', { name: 'Allow once' }).element() as HTMLElement).focus()
    await userEvent.keyboard('{Tab}{Enter}')
    await expect.element(page.getByText('Denied')).toBeVisible()
    expect(answers(server)).toEqual([{ request_id: 'q1', choice: 'deny' }])
  })

  it('shows why an answer was rejected and can be answered again', async ({ server, open }) => {
    serveRequest(server)
    const detail = 'The agent is not waiting for this answer.'
    server.fail('POST /api/agents/s1/w/answer', 404, { detail })
    await open(agentPath('w'))
    const allow = card.getByRole('button', { name: 'Allow once' })
    await allow.click()
    await expect.element(page.getByText(detail)).toBeVisible()
    await expect.element(allow).toBeEnabled()
  })

  it('has disabled buttons for a viewer', async ({ server, open }) => {
    serveRequest(server)
    const spaces = [{ name: 'main', role: 'viewer' as const }]
    server.on(
      'GET /api/me',
      me({ team: true, user: null, label: 'Vera', role: 'viewer', home: false, spaces }),
    )
    await open(agentPath('w'))
    await expect.element(card.getByRole('button', { name: 'Allow once' })).toBeDisabled()
    await expect.element(card.getByRole('button', { name: 'Deny' })).toBeDisabled()
  })

  it('has no buttons after it expired', async ({ server, open }) => {
    serveRequest(server, { expires_at: Date.now() - 1_000 })
    await open(agentPath('w'))
    await expect.element(card.getByText('allow Bash?')).toBeVisible()
    await expect.element(card.getByRole('button', { name: 'Allow once' })).not.toBeInTheDocument()
  })
})

describe('a question of an agent', () => {
  it('is answered by one click when it has a single choice', async ({ server, open }) => {
    const live = serveRequest(server, asking(color))
    live.add({ ...live.agent('w'), wait_reason: 'Which color?' })
    await open(agentPath('w'))
    await expect.element(needs.getByText(/^Which color\?/)).toBeVisible()
    await card
      .getByRole('group', { name: /Which color\?/ })
      .getByRole('button', { name: /Blue/ })
      .click()
    await expect.element(page.getByText('Answer sent')).toBeVisible()
    expect(answers(server)).toEqual([
      { request_id: 'q1', choice: 'allow', answers: { 'Which color?': ['Blue'] } },
    ])
  })

  it('accepts typed text and several options by keyboard alone', async ({ server, open }) => {
    serveRequest(server, asking(color, sizes))
    await open(agentPath('w'))
    await expect.element(card.getByRole('button', { name: 'Send answer' })).toBeDisabled()
    const red = card.getByRole('button', { name: /Red/ })
    await tabTo('Red')
    await userEvent.keyboard(' ')
    await expect.element(red).toHaveAttribute('aria-pressed', 'true')
    await tabTo('Other answer')
    await userEvent.keyboard('a warm grey')
    await expect.element(red).toHaveAttribute('aria-pressed', 'false')
    for (const label of ['Small', 'Large']) {
      await tabTo(label)
      await userEvent.keyboard('{Enter}')
    }
    await tabTo('Send answer')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText('Answer sent')).toBeVisible()
    expect(answers(server)).toEqual([
      {
        request_id: 'q1',
        choice: 'allow',
        answers: { 'Which color?': ['a warm grey'], 'Which sizes?': ['Small', 'Large'] },
      },
    ])
  })

  it('can be declined', async ({ server, open }) => {
    serveRequest(server, asking(color))
    await open(agentPath('w'))
    await card.getByRole('button', { name: 'Decline to answer' }).click()
    await expect.element(page.getByText('Denied')).toBeVisible()
    expect(answers(server)).toEqual([{ request_id: 'q1', choice: 'deny' }])
  })

  it('has large targets on a phone and passes axe', async ({ server, open }) => {
    serveRequest(server, asking(color, sizes))
    await open(agentPath('w'), PHONE)
    emulateTouch()
    await expect.element(card.getByRole('button', { name: 'Decline to answer' })).toBeVisible()
    const targets = [...card.getByRole('button').elements(), ...card.getByRole('textbox').elements()]
    expect(targets.length).toBeGreaterThanOrEqual(8)
    const small = targets.filter((target) => target.getBoundingClientRect().height < 44)
    expect(small.map((target) => target.textContent)).toEqual([])
    await expectAccessible()
  })
})
