import type { IncomingHttpHeaders } from 'node:http'

/** Whether a browser goes somewhere, and wants a page rather than JSON. */
export const isNavigation = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-mode'] === 'navigate' || (headers.accept?.includes('text/html') ?? false)
