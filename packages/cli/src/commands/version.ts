import type { Context } from '../context.ts'
import { VERSION } from '../version.ts'

export function version({ output }: Context): void {
  const { node, sqlite } = process.versions
  output.answer(
    [`panoptes ${VERSION}`, `node ${node}, sqlite ${sqlite}, ${process.platform}-${process.arch}`],
    {
      ok: true,
      version: VERSION,
      node,
      sqlite: sqlite ?? null,
      platform: `${process.platform}-${process.arch}`,
    },
  )
}
