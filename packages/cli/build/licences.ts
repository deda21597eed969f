import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

/** Collects the license of every package in the bundle or the page. */
export async function writeLicences(root: string, metafile: Metafile, file: string): Promise<void> {
  const folders = new Set([...bundled(metafile), ...(await ofThePage(root))])
  const texts = await Promise.all([...folders].sort().map((folder) => licenceOf(root, folder)))
  await writeFile(file, texts.filter((text) => text !== undefined).join('\n\n'))
}

function bundled(metafile: Metafile): string[] {
  return Object.keys(metafile.inputs).flatMap((path) => {
    const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)
    return found ? [found[0]] : []
  })
}

/** Lists the runtime dependencies in the lock file, without development dependencies. */
async function ofThePage(root: string): Promise<string[]> {
  const lock: unknown = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))
  const { packages } = lock as {
    packages: Record<string, { dev?: boolean; link?: boolean; optional?: boolean }>
  }
  return Object.entries(packages)
    .filter(([path, { dev, link, optional }]) => path.includes('node_modules/') && !dev && !link && !optional)
    .map(([path]) => path)
}

async function licenceOf(root: string, folder: string): Promise<string | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'))
    const { name, version, license } = manifest as { name: string; version: string; license?: string }
    const file = (await readdir(join(root, folder))).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file ? (await readFile(join(root, folder, file), 'utf8')).trim() : ''
    return `${name} ${version} (${license ?? 'unknown'})\n\n${text}`
  } catch {
    return undefined
  }
}
