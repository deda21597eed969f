import type { AgentRequest } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../command.ts'
import { openAt } from '../page-kit.ts'
import { runClaude } from './claude.ts'
import { useStage } from './stage.ts'
import { agentsOf, treeOf } from './tree.ts'
import { CLAUDE_CODE, type ClientName } from './versions.ts'

const { home, start, connect, model } = useStage()

const option = (label: string) => ({ label, description: `the ${label} one` })
const colour = {
  question: 'Which colour?',
  header: 'Colour',
  options: ['Red', 'Blue'].map(option),
  multiSelect: false,
}
const sizes = {
  question: 'Which sizes?',
  header: 'Sizes',
  options: ['Small', 'Large'].map(option),
  multiSelect: true,
}

/** Runs a client until it asks a question that the page could answer. */
async function ask(client: ClientName, questions: readonly object[]) {
  await runCommand(home(), ['config', 'set', 'live.answer_seconds', '60'])
  const daemon = await start()
  await connect()
  const server = await model({
    main: [{ calls: [{ tool: 'AskUserQuestion', input: { questions } }] }, { text: 'ok' }],
  })
  const own = Promise.withResolvers<Readonly<Record<string, string>>>()
  const run = runClaude({ client, home: home(), model: server.address, asks: own.promise })
  const requests = async () =>
    (await (await daemon.request('/api/requests')).json()) as readonly AgentRequest[]
  await expect.poll(requests, { timeout: 120_000, interval: 50 }).toHaveLength(1)
  const [request] = await requests()
  if (!request) throw new Error('nothing is asked')
  return { daemon, server, run, request, requests, answerElsewhere: own.resolve }
}

describe.each(Object.entries(CLAUDE_CODE) as [ClientName, string][])(
  'a question of Claude Code, %s version (%s)',
  (client) => {
    it('is answered with a click on the page, and the model gets the answer', async () => {
      const { daemon, server, run, request } = await ask(client, [colour])
      expect(treeOf(await agentsOf(daemon))).toMatchObject([{ agent: 'main', state: 'waiting' }])
      const { page, complaints, close } = await openAt(
        daemon,
        `/?agent=claude-code~${request.session_id}~main`,
      )
      await page.getByRole('group', { name: 'Which colour?' }).getByRole('button', { name: 'Blue' }).click()
      const { code, output } = await run
      expect(code, output).toBe(0)
      expect(server.heard).toHaveLength(1)
      expect(server.heard[0]).toContain('"Which colour?"="Blue"')
      expect(complaints).toEqual([])
      await close()
    })

    it('accepts several answers and custom text', async () => {
      const { daemon, server, run, request } = await ask(client, [colour, sizes])
      const answers = { 'Which colour?': 'a warm grey', 'Which sizes?': ['Small', 'Large'] }
      const reply = await daemon.request(`/api/agents/${request.session_id}/main/answer`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ request_id: request.request_id, choice: 'allow', answers }),
      })
      expect(reply.status).toBe(200)
      expect((await run).code).toBe(0)
      expect(server.heard[0]).toContain('"Which colour?"="a warm grey"')
      expect(server.heard[0]).toContain('"Which sizes?"="Small, Large"')
    })

    it('disappears from the page when it is answered elsewhere', async () => {
      const { daemon, server, run, request, requests, answerElsewhere } = await ask(client, [colour])
      answerElsewhere({ 'Which colour?': 'Red' })
      expect((await run).code).toBe(0)
      expect(server.heard[0]).toContain('"Which colour?"="Red"')
      await expect.poll(requests).toEqual([])
      const late = await daemon.request(`/api/agents/${request.session_id}/main/answer`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          request_id: request.request_id,
          choice: 'allow',
          answers: { 'Which colour?': 'Blue' },
        }),
      })
      expect(late.status).toBe(404)
    })

    it('can be declined', async () => {
      const { daemon, server, run, request } = await ask(client, [colour])
      await daemon.request(`/api/agents/${request.session_id}/main/answer`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ request_id: request.request_id, choice: 'deny' }),
      })
      expect((await run).code).toBe(0)
      expect(server.heard).toEqual(['Denied by the user in Panoptes.'])
    })
  },
)
