import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { plural } from '@panoptes/schema/numbers'
import { type Check, failed, ok, warning } from './check.ts'

const NEEDED = 24

export const nodeCheck: Check = {
  id: 'node',
  title: 'Node',
  run: () => {
    const { node, sqlite } = process.versions
    const detail = `${node} with SQLite ${sqlite ?? 'missing'}`
    if (Number.parseInt(node, 10) >= NEEDED) return ok(detail)
    return failed(detail, `Panoptes needs Node ${NEEDED} or newer`, 'Install it from https://nodejs.org.')
  },
}

export const npmCheck: Check = {
  id: 'npm',
  title: 'npm',
  run: async ({ env }) => {
    const version = await npmVersion(env)
    if (version === undefined) return ok('Not in PATH; only a clone of the project needs it')
    if (Number.parseInt(version, 10) >= 10) return ok(version)
    return warning(version, 'A clone needs npm 10 or newer', 'Update it with: npm install -g npm')
  },
}

function npmVersion(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('npm', ['--version'], { env, timeout: 10_000 }, (error, stdout) =>
      resolve(error ? undefined : stdout.trim()),
    )
  })
}

export const platformCheck: Check = {
  id: 'platform',
  title: 'Computer',
  run: ({ paths }) => {
    const memory = Math.round(totalmem() / 1e9)
    const wsl = isWsl() ? ', WSL' : ''
    const detail = `${process.platform} ${release()} ${process.arch}${wsl}, ${plural(cpus().length, 'core')}, ${memory} GB`
    if (process.platform === 'win32') {
      return failed(detail, 'Windows is supported through WSL only', 'Run Panoptes inside WSL.')
    }
    if (wsl && paths.home.startsWith('/mnt/')) {
      const cause = `${paths.home} is on the Windows disk, which is slow and does not report changes`
      return warning(detail, cause, 'Set PANOPTES_HOME to a folder inside WSL, such as ~/.panoptes.')
    }
    if (process.platform !== 'linux' && process.platform !== 'darwin') {
      return warning(detail, 'Panoptes is tested on Linux and macOS', 'Please report problems.')
    }
    return ok(wsl ? `${detail}; open the page in a Windows browser at the same address` : detail)
  },
}

function isWsl(): boolean {
  try {
    return /microsoft/i.test(readFileSync('/proc/version', 'utf8'))
  } catch {
    return false
  }
}
