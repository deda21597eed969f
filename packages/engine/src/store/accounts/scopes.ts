import { ANY } from './names.ts'

/**
 * Sums are stored for everything, for each source, for each project, and for each project within each source.
 */
export const sumScopes = (source: number, project: number): readonly (readonly [number, number])[] => [
  [ANY, ANY],
  [source, ANY],
  [ANY, project],
  [source, project],
]
