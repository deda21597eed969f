import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeContext } from '../context.ts'
import { checkConfig } from './config.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'panoptes-config-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const checked = async (text: string): Promise<string> => {
  await writeFile(join(home, 'config.yaml'), text)
  const context = makeContext([], { HOME: home, PANOPTES_HOME: home })
  const output = { ...context.output, answer: () => undefined }
  return checkConfig({ ...context, output }).then(
    () => 'no mistakes',
    (error: Error) => error.message.replaceAll(`${home}/`, ''),
  )
}

describe('the check of the config', () => {
  it('names a provider and a preset for Jarvis that are none, with the line', async () => {
    expect(await checked('runtimes:\n  jarvis: { provider: nope, model: m }\n')).toMatch(
      /^config\.yaml:2:1: runtimes\.jarvis\.provider names nope, which is none; there are: .*ollama/,
    )
    expect(await checked('runtimes:\n  jarvis: { preset: nope }\n')).toBe(
      'config.yaml:2:1: runtimes.jarvis.preset names nope, which is not under moa.presets',
    )
    expect(await checked('runtimes:\n  jarvis: { provider: ollama, model: m }\n')).toBe('no mistakes')
  })
  it('names folders of notes that are not there', async () => {
    expect(await checked('log:\n  level: info\nchat:\n  knowledge: [~/gone, "~"]\n')).toBe(
      'config.yaml:4:1: chat.knowledge names gone, which is not there',
    )
  })
})
