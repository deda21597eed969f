/** Parses a hub address and drops a trailing slash, query or fragment. */
export const hubUrl = (to: string): URL => {
  const { origin, pathname } = new URL(to)
  return new URL(origin + pathname.replace(/\/+$/, ''))
}

/** Formats the address the way people write it. */
export const hubName = (hub: URL): string => hub.href.replace(/\/$/, '')
