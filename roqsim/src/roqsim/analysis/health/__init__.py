"""Is a run well? Its records, looked at while it runs or afterwards, give findings and a verdict."""
