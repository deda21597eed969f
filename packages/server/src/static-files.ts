import { hash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'

/** The files of the built page. */
export interface Page {
  /** The file at this path, or `index.html` for a navigation; undefined if there is neither. */
  readonly answer: (request: FileRequest) => Promise<Response | undefined>
}

export interface FileRequest {
  readonly path: string
  readonly navigates: boolean
  readonly acceptEncoding: string
  readonly ifNoneMatch: string | undefined
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.map': 'application/json',
  '.wasm': 'application/wasm',
}

const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

/** The bundler puts a hash of the content into the name, so such a file never changes. */
const HASHED = /^\/assets\/.+[-.][\w-]{8,}\.\w+$/
const MOST_FILES = 5_000

interface Build {
  readonly stamp: number
  /** Paths of files, each starting with `/`. A request for any other path never reaches the file system. */
  readonly files: ReadonlySet<string>
}

export function createPage(folder: string | null): Page {
  if (folder === null) return { answer: async () => undefined }
  const contents = new Map<string, { readonly data: Buffer; readonly etag: string }>()
  let built: Build | undefined

  const readBuild = async (): Promise<Build | undefined> => {
    const index = await stat(join(folder, 'index.html')).catch(() => undefined)
    if (!index) return undefined
    if (built?.stamp === index.mtimeMs) return built
    contents.clear()
    built = { stamp: index.mtimeMs, files: await listFiles(folder) }
    return built
  }

  const load = async (path: string) => {
    const cached = contents.get(path)
    if (cached) return cached
    const data = await readFile(join(folder, path))
    const loaded = { data, etag: `"${hash('sha256', data, 'base64url').slice(0, 22)}"` }
    contents.set(path, loaded)
    return loaded
  }

  return {
    answer: async ({ path, navigates, acceptEncoding, ifNoneMatch }) => {
      const page = await readBuild()
      if (!page) return undefined
      const wanted = page.files.has(path) ? path : navigates ? '/index.html' : undefined
      if (wanted === undefined) return undefined
      const encoding = ENCODINGS.find(
        ({ name, suffix }) => acceptsEncoding(acceptEncoding, name) && page.files.has(wanted + suffix),
      )
      const { data, etag } = await load(wanted + (encoding?.suffix ?? ''))
      const headers: Record<string, string> = {
        'content-type': TYPES[extname(wanted)] ?? 'application/octet-stream',
        'cache-control': HASHED.test(wanted) ? 'private, max-age=31536000, immutable' : 'no-cache',
        etag,
        vary: 'accept-encoding',
        ...(encoding ? { 'content-encoding': encoding.name } : {}),
      }
      if (ifNoneMatch?.includes(etag)) return new Response(null, { status: 304, headers })
      return new Response(new Uint8Array(data), {
        headers: { ...headers, 'content-length': String(data.length) },
      })
    },
  }
}

async function listFiles(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).slice(0, MOST_FILES)
  return new Set(
    files.map(
      (entry) =>
        `/${join(entry.parentPath, entry.name)
          .slice(folder.length + 1)
          .split(sep)
          .join('/')}`,
    ),
  )
}

const acceptsEncoding = (header: string, encoding: string): boolean =>
  header.split(',').some((part) => {
    const [name = '', ...options] = part.split(';').map((piece) => piece.trim())
    return name === encoding && !options.some((option) => /^q=0(\.0*)?$/.test(option))
  })
