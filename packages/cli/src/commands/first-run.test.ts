import { readFileSync } from 'node:fs'
import { createHome } from '@panoptes/engine/home'
import { afterEach, expect, it, vi } from 'vitest'
import { loadConfig } from './config.ts'
import { askForOriginals } from './first-run.ts'
import { homeWith } from './sessions/sessions.test-kit.ts'

const terminals = [process.stdin, process.stderr]
const before = terminals.map(({ isTTY }) => isTTY)
const setTerminal = (isTTY: boolean) => {
  for (const stream of terminals) stream.isTTY = isTTY
}
afterEach(() => {
  terminals.forEach((stream, index) => {
    stream.isTTY = before[index] ?? false
  })
})

async function firstRun(answer: boolean) {
  const { context } = homeWith({})
  await createHome(context.paths)
  const confirm = vi.fn(async () => answer)
  const { config } = await loadConfig(context)
  const after = await askForOriginals(context, config, confirm)
  return { after, confirm, context, text: readFileSync(context.paths.config, 'utf8') }
}

it('keeps the files of sessions if the user agrees at the first start', async () => {
  setTerminal(true)
  const { after, context, text } = await firstRun(true)
  expect(after.archive.originals).toBe(true)
  expect(text).toMatch(/^ {2}originals: true$/m)
  expect((await loadConfig(context)).config).toEqual(after)
})

it('keeps no files of sessions if the user does not agree', async () => {
  setTerminal(true)
  const { after, confirm, text } = await firstRun(false)
  expect(confirm).toHaveBeenCalledOnce()
  expect(after.archive.originals).toBe(false)
  expect(text).toMatch(/^ {2}originals: false$/m)
})

it('asks nothing without a terminal', async () => {
  setTerminal(false)
  const { after, confirm } = await firstRun(true)
  expect(confirm).not.toHaveBeenCalled()
  expect(after.archive.originals).toBe(false)
})
