import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-dependencies-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Runs the check with a fake npm that returns this audit report. */
async function check(answer: string, exit: number) {
  const npm = join(folder, 'npm')
  await writeFile(join(folder, 'answer'), answer)
  await writeFile(
    npm,
    `#!/bin/sh\nif [ "$1" = audit ]; then cat '${folder}/answer'; exit ${exit}; fi\necho '{"components":[]}'\n`,
  )
  await chmod(npm, 0o755)
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` }
  const { status, stderr } = spawnSync(join(root, '.ci', 'dependencies'), [join(folder, 'out')], {
    env,
    encoding: 'utf8',
  })
  return { status, stderr }
}
const found = (severity: string, count = 1) =>
  JSON.stringify({
    vulnerabilities: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `p${at}`,
        { name: `p${at}`, severity, range: '<1.0.0', via: ['x'.repeat(100)] },
      ]),
    ),
  })

describe('the dependency check', () => {
  it('passes if the audit finds nothing severe', async () => {
    expect(await check(found('moderate'), 0)).toEqual({ status: 0, stderr: '' })
  })

  it.each(['high', 'critical'])('fails and names the package with a %s vulnerability', async (severity) => {
    expect(await check(found(severity), 1)).toEqual({ status: 1, stderr: `${severity}: p0 <1.0.0\n` })
  })

  it('fails on a report of any length', async () => {
    const { status, stderr } = await check(found('high', 5_000), 1)
    expect([status, stderr.split('\n').length]).toEqual([1, 5_001])
  })

  it.each([
    ['nothing', ''],
    ['an error', '{"message":"405 Method Not Allowed"}'],
  ])('reports that it could not check if the registry answers %s', async (_, answer) => {
    const { status, stderr } = await check(answer, 1)
    expect([status, stderr]).toEqual([0, expect.stringContaining('WARNING: npm audit was NOT done')])
  })

  it('checks everything in the bundle, but no development tool', async () => {
    await check('{}', 0)
    const { packages } = JSON.parse(
      await readFile(join(folder, 'out', 'shipped', 'package-lock.json'), 'utf8'),
    ) as { packages: Record<string, { dev?: boolean; devDependencies?: object }> }
    const names = Object.keys(packages).map((path) => path.replace('node_modules/', ''))
    for (const name of [
      'commander',
      'zod',
      'pg',
      'ws',
      'pino',
      'openai',
      'yaml',
      'hono',
      'react',
      'openid-client',
    ])
      expect(names).toContain(name)
    for (const name of ['vitest', '@biomejs/biome', 'vite', 'playwright-core', 'oidc-provider'])
      expect(names).not.toContain(name)
    expect(Object.values(packages).filter(({ dev, devDependencies }) => dev || devDependencies)).toEqual([])
  })
})
