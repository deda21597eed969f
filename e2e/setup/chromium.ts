import { createReadStream, createWriteStream } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'
import { installDebianPackages, isDebian } from './debian.ts'
import { MissingPart, makeNpmPart } from './parts.ts'
import { findProgram, isExecutable } from './programs.ts'
import { lastLine, run } from './run.ts'

/** What Playwright needs to launch it. */
export interface Chromium {
  readonly executablePath: string
  readonly args: string[]
  readonly env: Record<string, string>
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const MAC_APPS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]
/** The style sheet of the page, which Tailwind generates, needs this version. */
const MINIMUM = [111]
const ARGS = [
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** Finds the Chromium that `PANOPTES_CHROMIUM` names, or one on the machine, or else takes one from the npm registry. */
export async function findChromium(): Promise<Chromium | { readonly missing: string }> {
  const named = process.env.PANOPTES_CHROMIUM
  if (named) {
    if (await isExecutable(named)) return launched(named)
    throw new Error(`PANOPTES_CHROMIUM names ${named}, which cannot be run.`)
  }
  const installed = await findInstalled()
  if (installed !== undefined) return launched(installed)
  try {
    return await unpackChromium()
  } catch (error) {
    const reason = (error as Error).message
    if (process.getuid?.() !== 0 || !(await isDebian())) return { missing: `There is no Chromium: ${reason}` }
    await installDebianPackages(['chromium', 'fonts-dejavu-core'])
    return launched((await findInstalled()) ?? '')
  }
}

/** Finds Chromium like `findChromium`, and throws a `MissingPart` if there is none. */
export async function requireChromium(): Promise<Chromium> {
  const chromium = await findChromium()
  if ('missing' in chromium) throw new MissingPart(chromium.missing)
  return chromium
}

async function findInstalled(): Promise<string | undefined> {
  const search = { minimum: MINIMUM }
  return (await findProgram(NAMES, search)) ?? findProgram(MAC_APPS, { ...search, folders: [''] })
}

function launched(executablePath: string, more: Readonly<Record<string, string>> = {}): Chromium {
  // Chromium refuses to sandbox itself as root.
  const args = process.getuid?.() === 0 ? ['--no-sandbox', ...ARGS] : [...ARGS]
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return { executablePath, args, env: { ...Object.fromEntries(inherited), ...more } }
}

/**
 * The package holds a headless Chromium for Linux on x64, compressed, and the libraries that it needs beyond libc.
 * A bare machine also has no fonts, and without any all text would be zero pixels wide.
 */
async function unpackChromium(): Promise<Chromium> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`install one, since the npm registry has none for ${process.platform} on ${process.arch}`)
  const folder = await makeNpmPart('chromium', async (modules, target) => {
    const packed = join(modules, '@sparticuz', 'chromium', 'bin')
    await decompress(join(packed, 'chromium.br'), join(target, 'chromium'))
    const archive = join(modules, 'libraries.tar')
    await decompress(join(packed, 'al2023.tar.br'), archive)
    const unpacked = await run('tar', ['-xf', archive, '-C', target], { seconds: 60 })
    if (unpacked.code !== 0)
      throw new Error(`tar could not unpack its libraries: ${lastLine(unpacked.output)}`)
    await cp(join(modules, 'dejavu-fonts-ttf', 'ttf'), join(target, 'fonts'), { recursive: true })
  })
  const chromium = launched(join(folder, 'chromium'), {
    LD_LIBRARY_PATH: join(folder, 'lib'),
    FONTCONFIG_FILE: await writeFontConfig(folder),
  })
  const { code, output } = await run(chromium.executablePath, ['--version'], {
    seconds: 30,
    env: chromium.env,
  })
  if (code !== 0) throw new Error(`the one of the npm registry does not run here: ${lastLine(output)}`)
  return chromium
}

async function decompress(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to, { mode: 0o755 }))
}

/** Fontconfig needs absolute paths, so the file is written again when the clone was moved. */
async function writeFontConfig(folder: string): Promise<string> {
  const file = join(folder, 'fonts.conf')
  const escaped = folder.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const alias = (family: string, font: string) =>
    `  <alias><family>${family}</family><prefer><family>${font}</family></prefer></alias>`
  const config = [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    '<fontconfig>',
    `  <dir>${escaped}/fonts</dir>`,
    `  <cachedir>${escaped}/font-cache</cachedir>`,
    alias('sans-serif', 'DejaVu Sans'),
    alias('serif', 'DejaVu Serif'),
    alias('monospace', 'DejaVu Sans Mono'),
    '</fontconfig>',
    '',
  ].join('\n')
  if ((await readFile(file, 'utf8').catch(() => '')) !== config) await writeFile(file, config)
  return file
}
