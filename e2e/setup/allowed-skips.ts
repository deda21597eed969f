/** Tests that may be skipped where `PANOPTES_STRICT_SKIPS` is set, by file and name, with the reason why that is right. */
export const ALLOWED_SKIPS: Readonly<Record<string, string>> = {}
