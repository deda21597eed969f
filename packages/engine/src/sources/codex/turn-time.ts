const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Whether one thing was made before another, by their ids alone: those that begin with the time sort by it. Nothing where the ids
 * do not tell.
 */
export function madeBefore(one: string | null, other: string | null): boolean | undefined {
  if (one === null || other === null || !VERSION_7.test(one) || !VERSION_7.test(other)) return undefined
  return one.toLowerCase() < other.toLowerCase()
}
