import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../daemon/access.ts'
import { placeOfHome } from '../../daemon/place.ts'
import { installHooks } from '../hooks/install.ts'
import { saidIn } from '../sessions/sessions.test-kit.ts'
import { agents, explainEmptyResult } from './agents.ts'

it('names the filter if no agent matches it', () => {
  expect(explainEmptyResult({ session: 'nosuch' }, false)[0]).toBe('No session nosuch')
  expect(explainEmptyResult({ session: 's1', state: 'stuck' }, false)[0]).toBe(
    'No agent in these states in session s1',
  )
  expect(explainEmptyResult({ state: 'stuck' }, false)[0]).toBe('No agent is in these states')
})

it('suggests hooks if none are installed, and a session otherwise', async () => {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-agents-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const { context, text } = saidIn(home)
  const store = await openStore(context, await placeOfHome(context))
  await store.close()
  await agents(context, {})
  expect(text()).toBe('No agents yet\nConnect one with: panoptes hooks install claude-code')
  await installHooks(context, 'claude-code', { scope: 'user' })
  await agents(context, {})
  expect(text()).toBe('No agents yet\nStart a session in a connected agent')
})
